import { readVersion } from "../../adapters/version";
import { describe } from "../route-table";

// Prints the API's description: for the linter, and for whoever generates a client of it.
process.stdout.write(`${describe(readVersion())}\n`);
