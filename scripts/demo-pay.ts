import { pay } from "./demo/pay";
import { repositoryPlace } from "./demo/place";

void pay(process.argv.slice(2), repositoryPlace(process.env));
