import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { expect } from "chai";
import { parse } from "yaml";
import { z } from "zod";
import { readSettings } from "../../config/load";
import { SETTINGS } from "../../config/schema";

const ROOT = path.join(__dirname, "../..");
const read = (file: string): string => readFileSync(path.join(ROOT, file), "utf8");

const COMPOSE_FILE = "docker-compose.regtest.yml";

/** What of the Compose specification the file uses, so that a word that is none is found. */
const SERVICE = z.strictObject({
  image: z.string(),
  build: z.string().optional(),
  command: z.union([z.string(), z.array(z.string())]).optional(),
  entrypoint: z.array(z.string()).optional(),
  init: z.boolean().optional(),
  read_only: z.boolean().optional(),
  tmpfs: z.array(z.string()).optional(),
  cap_drop: z.array(z.string()).optional(),
  security_opt: z.array(z.string()).optional(),
  user: z.string().optional(),
  stop_grace_period: z.string().optional(),
  restart: z.enum(["no", "always", "on-failure", "unless-stopped"]).optional(),
  environment: z.record(z.string(), z.string()).optional(),
  depends_on: z
    .record(
      z.string(),
      z.strictObject({
        condition: z.enum(["service_started", "service_healthy", "service_completed_successfully"]),
      }),
    )
    .optional(),
  healthcheck: z
    .strictObject({
      test: z.array(z.string()).optional(),
      disable: z.boolean().optional(),
      interval: z.string().optional(),
      timeout: z.string().optional(),
      start_period: z.string().optional(),
      retries: z.number().optional(),
    })
    .optional(),
  extra_hosts: z.array(z.string()).optional(),
  ports: z.array(z.string()).optional(),
  volumes: z.array(z.string()).optional(),
});
const COMPOSE = z.strictObject({
  services: z.record(z.string(), SERVICE),
  volumes: z.record(z.string(), z.null()),
});
type Compose = z.infer<typeof COMPOSE>;

/** As Compose reads it: `<<` takes over, names that begin with x- are notes. */
function readCompose(text: string): Compose {
  const file = parse(text, { merge: true }) as object;
  return COMPOSE.parse(Object.fromEntries(Object.entries(file).filter(([name]) => !name.startsWith("x-"))));
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

  it("is consistent: images are pinned, dependencies exist, ports are local only", () => {
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

  it("has the regtest suite's LND version", () => {
    const version = /^\s*github\.com\/lightningnetwork\/lnd (v\S+)/m.exec(
      read("test/regtest/lnd/go.mod"),
    )?.[1];
    expect(version).to.match(/^v0\.\d+/);
    for (const name of ["lnd-merchant", "lnd-customer"])
      expect(compose.services[name]?.image).to.equal(`lightninglabs/lnd:${version}`);
  });

  it("sets only what the service reads, and the service accepts it", () => {
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

  it("starts from one pinned Node, not older than package.json requires", () => {
    const stages = ["--platform=$BUILDPLATFORM $NODE AS build", "--platform=$TARGETPLATFORM $NODE"];
    expect(of("FROM")).to.deep.equal(stages);
    const base = /^NODE=node:(\d+)\.(\d+)\.\d+-[a-z]+-slim@sha256:[0-9a-f]{64}$/.exec(of("ARG")[0] ?? "");
    const [, major = 0, minor = 0] = base?.map(Number) ?? [];
    const { engines } = JSON.parse(read("package.json")) as { engines: { node: string } };
    const [floorMajor = 0, floorMinor = 0] = engines.node.replace(">=", "").split(".").map(Number);
    expect(major * 1000 + minor).to.be.at.least(floorMajor * 1000 + floorMinor);
  });

  it("copies what exists, and what no rule of .dockerignore excludes", () => {
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

  it("runs nothing of the image's own processor, which may be another than the builder's", () => {
    expect(finalStage.filter((line) => line.startsWith("RUN "))).to.deep.equal([]);
  });

  it("runs all apps under PM2 in the foreground, without privileges", () => {
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

describe("docs/operations/docker.md", () => {
  it("names existing services of the Compose file, settings and commands", () => {
    const page = read("docs/operations/docker.md");
    const { services } = readCompose(read(COMPOSE_FILE));
    const named = [...page.matchAll(/docker compose exec (\S+)/g)].map(([, name]) => name);
    expect(named).to.include.members(["quittance", "bitcoind", "lnd-customer", "lnd-merchant"]);
    for (const name of named) expect(services).to.have.property(name ?? "");
    for (const [, key = ""] of page.matchAll(/`([A-Z]+_[A-Z_]+)`/g)) expect(SETTINGS).to.have.property(key);
  });
});
