import { readVersion } from "../adapters/version";
import { describe } from "./route-table";

// For the linter, and to generate clients.
process.stdout.write(`${describe(readVersion())}\n`);
