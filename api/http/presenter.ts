import type { z } from "zod";

/** All that an answer has, and a row lacks. */
type Rest<S, Row> = Record<Exclude<keyof S, keyof Row>, unknown>;

/** Shows a row as an answer: fields come from it by their names, or are given. No others leave the service. */
export function presenter<S extends z.ZodRawShape>(answer: z.ZodObject<S>) {
  const names = Object.keys(answer.shape);
  return <Row extends object, Given extends Rest<S, Row>>(row: Row, given: Given) => {
    const shown: Record<string, unknown> = {};
    for (const name of names)
      shown[name] = name in given ? given[name as keyof Given] : row[name as keyof Row];
    return shown as Pick<Row, Exclude<keyof S & keyof Row, keyof Given>> & Given;
  };
}
