import { status } from "@grpc/grpc-js";

/** What a gRPC call is answered with instead of a result. LND gives most of its refusals the code UNKNOWN. */
export class GrpcRefusal extends Error {
  override readonly name = "GrpcRefusal";
  readonly code: number;
  readonly details: string;

  constructor(code: "UNKNOWN" | "NOT_FOUND" | "UNAVAILABLE" | "INVALID_ARGUMENT", details: string) {
    super(details);
    this.code = status[code];
    this.details = details;
  }
}
