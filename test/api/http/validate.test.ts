import { expect } from "chai";
import { z } from "zod";
import { validate } from "../../../api/http/validate";
import { createInvoiceBody } from "../../../api/invoices/request";
import { DomainError } from "../../../domain/errors";

function refusal(schema: z.ZodType, value: unknown): DomainError {
  try {
    validate(schema, value);
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
  throw new Error("it was taken");
}
const fields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, 0]));

describe("validation", () => {
  const empty = z.strictObject({});

  it("lists twenty wrong fields, and the number of the others", () => {
    const { errors, message } = refusal(empty, fields(26_000));
    expect(errors).to.have.length(20);
    expect(message).to.match(/ And 25980 more errors\.$/);
    expect(message.length).to.be.below(2_000);
    const wrong = refusal(z.array(z.number()), Array<string>(30).fill("x"));
    expect([wrong.errors.length, wrong.message.endsWith("And 10 more errors.")]).to.deep.equal([20, true]);
  });

  it("says where fields of one's own belong, if there is a place", () => {
    const messages = (schema: z.ZodType) =>
      refusal(schema, { orderId: "A-1001" }).errors.map(({ message }) => message);
    expect(messages(createInvoiceBody)).to.include("Unknown field. Your own go into metadata.");
    expect(messages(empty)).to.deep.equal(["Unknown field."]);
  });

  it("truncates a very long name of an unknown field", () => {
    const { errors, message } = refusal(empty, { ["x".repeat(200_000)]: 0 });
    expect(errors[0]?.pointer).to.equal(`/${"x".repeat(199)}…`);
    expect(message.length).to.be.below(400);
  });
});
