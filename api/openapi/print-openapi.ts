import { readVersion } from "../../adapters/version";
import { describe } from "../route-table";

// Prints the OpenAPI description: for the linter, and to generate clients.
process.stdout.write(`${describe(readVersion())}\n`);
