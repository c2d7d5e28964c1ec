import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";

export interface PackageRegistry {
  url: string;
  close(): Promise<void>;
}

/** What a registry says of a package: a shrinkwrap counts for npm where this says that there is one. */
function packumentOf(folder: string, name: string, host: string): object {
  const manifest = JSON.parse(readFileSync(path.join(folder, name, "package.json"), "utf8")) as {
    version: string;
  };
  const { version } = manifest;
  const file = `${name}-${version}.tgz`;
  const sha512 = createHash("sha512").update(readFileSync(path.join(folder, file)));
  const dist = { tarball: `http://${host}/files/${file}`, integrity: `sha512-${sha512.digest("base64")}` };
  const published = { ...manifest, _hasShrinkwrap: name === "quittance", dist };
  return { name, "dist-tags": { latest: version }, versions: { [version]: published } };
}

/** A registry on loopback with the packages that `npm run package` made in `folder`; for all others it names the configured one. */
export async function startPackageRegistry(folder: string): Promise<PackageRegistry> {
  const configured = spawnSync("npm", ["config", "get", "registry"], { encoding: "utf8" }).stdout.trim();
  const own = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name);
  const server = createServer((request, response) => {
    const [, first = "", second] = (request.url ?? "").split("/");
    if (own.includes(first) && second === undefined)
      response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify(packumentOf(folder, first, request.headers.host ?? "")));
    else if (first === "files" && second !== undefined)
      response.writeHead(200).end(readFileSync(path.join(folder, path.basename(second))));
    else response.writeHead(302, { location: new URL((request.url ?? "").slice(1), configured).href }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
