import { expect } from "chai";
import fc from "fast-check";
import { DomainError } from "../../../domain/errors";
import {
  isAllowedAddress,
  parseAllowedCidrs,
  endpointHost,
  endpointPort,
  parseEndpointUrl,
} from "../../../domain/webhook/address";

const NOTHING_ALLOWED = parseAllowedCidrs([]);

describe("webhook addresses", () => {
  const SPECIAL = {
    loopback: "127.0.0.1",
    "the end of loopback": "127.255.255.254",
    "this host": "0.0.0.0",
    "private 10/8": "10.1.2.3",
    "private 172.16/12": "172.31.255.255",
    "private 192.168/16": "192.168.0.1",
    "link-local and cloud metadata": "169.254.169.254",
    "a cloud's host agent": "168.63.129.16",
    "carrier-grade NAT": "100.64.0.1",
    "IETF protocol assignments": "192.0.0.192",
    documentation: "203.0.113.9",
    benchmarking: "198.18.0.1",
    multicast: "224.0.0.1",
    reserved: "240.0.0.1",
    broadcast: "255.255.255.255",
    "IPv6 loopback": "::1",
    "IPv6 unspecified": "::",
    "IPv4-mapped loopback": "::ffff:127.0.0.1",
    "IPv4-mapped loopback in hex": "::ffff:7f00:1",
    "IPv4-mapped private": "::ffff:10.0.0.1",
    "IPv4-compatible private": "::10.0.0.1",
    "IPv4-translated": "::ffff:0:127.0.0.1",
    NAT64: "64:ff9b::7f00:1",
    "local NAT64": "64:ff9b:1::1",
    "6to4": "2002:7f00:1::1",
    Teredo: "2001::1",
    "unique local": "fd00:ec2::254",
    "link-local": "fe80::1",
    "link-local with a zone": "fe80::1%eth0",
    "site-local": "fec0::1",
    "IPv6 multicast": "ff02::1",
    "IPv6 documentation": "2001:db8::1",
    "discard only": "100::1",
    "segment routing": "5f00::1",
    "unassigned IPv6": "4000::1",
  };
  for (const [name, ip] of Object.entries(SPECIAL)) {
    it(`refuses ${name} (${ip})`, () => {
      expect(isAllowedAddress(ip, 443, NOTHING_ALLOWED)).to.equal(false);
    });
  }

  for (const ip of ["8.8.8.8", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "::ffff:8.8.8.8"]) {
    it(`accepts the public address ${ip}`, () => {
      expect(isAllowedAddress(ip, 443, NOTHING_ALLOWED)).to.equal(true);
    });
  }

  for (const text of ["", "localhost", "0177.0.0.1", "0x7f.0.0.1", "2130706433", "127.1", "8.8.8", "[::1]"]) {
    it(`refuses "${text}", which is no address literal`, () => {
      expect(isAllowedAddress(text, 443, parseAllowedCidrs(["0.0.0.0/0", "::/0"]))).to.equal(false);
    });
  }

  it("treats an address mapped into IPv6 as its IPv4 address", () => {
    fc.assert(
      fc.property(fc.ipV4(), (ip) => {
        expect(isAllowedAddress(`::ffff:${ip}`, 443, NOTHING_ALLOWED)).to.equal(
          isAllowedAddress(ip, 443, NOTHING_ALLOWED),
        );
      }),
    );
  });
});

describe("WEBHOOK_ALLOWED_CIDRS", () => {
  it("allows a range on every port", () => {
    const allowed = parseAllowedCidrs(["10.0.0.0/8"]);
    expect(isAllowedAddress("10.9.9.9", 1, allowed)).to.equal(true);
    expect(isAllowedAddress("::ffff:10.9.9.9", 1, allowed)).to.equal(true);
    expect(isAllowedAddress("11.0.0.1", 1, parseAllowedCidrs([]))).to.equal(true);
    expect(isAllowedAddress("192.168.0.1", 1, allowed)).to.equal(false);
    expect(isAllowedAddress("fd00::1", 1, allowed)).to.equal(false);
  });

  it("allows a range on one port only", () => {
    const allowed = parseAllowedCidrs(["127.0.0.1/32:3000"]);
    expect(isAllowedAddress("127.0.0.1", 3000, allowed)).to.equal(true);
    expect(isAllowedAddress("127.0.0.1", 3001, allowed)).to.equal(false);
    expect(isAllowedAddress("127.0.0.2", 3000, allowed)).to.equal(false);
  });

  for (const [entry, port] of [
    ["::1/128", null],
    ["::1", null],
    ["[::1]", null],
    ["[::1/128]", null],
    ["[::1]:3000", 3000],
    ["[::1/128]:3000", 3000],
    ["::1/128:3000", 3000],
    [" ::1/128 ", null],
  ] as const) {
    it(`reads ${entry} as one IPv6 address ${port === null ? "on every port" : "on one port"}`, () => {
      const allowed = parseAllowedCidrs([entry]);
      expect(isAllowedAddress("::1", 3000, allowed)).to.equal(true);
      expect(isAllowedAddress("::1", 3001, allowed)).to.equal(port === null);
      expect(isAllowedAddress("fd00::1", 3000, allowed)).to.equal(false);
    });
  }

  it("reads a bare IPv4 address as one address, with and without a port", () => {
    expect(isAllowedAddress("127.0.0.1", 80, parseAllowedCidrs(["127.0.0.1"]))).to.equal(true);
    expect(isAllowedAddress("127.0.0.2", 80, parseAllowedCidrs(["127.0.0.1"]))).to.equal(false);
    expect(isAllowedAddress("127.0.0.1", 81, parseAllowedCidrs(["127.0.0.1:80"]))).to.equal(false);
  });

  it("names every entry that it cannot read and shows how to write one", () => {
    const wrong = [
      "localhost",
      "10.0.0.0/33",
      "::/129",
      "127.1/32",
      "127.0.0.1/32:0",
      "127.0.0.1/32:65536",
      "10/8",
      "10.0.0.0/",
      "[fd00::/]:8080",
      "[10.0.0.0/8/9]",
      "",
    ];
    expect(() => parseAllowedCidrs(["10.0.0.0/8", ...wrong]))
      .to.throw(RangeError)
      .with.property("message")
      .that.satisfies((message: string) => wrong.every((entry) => message.includes(`"${entry}"`)))
      .and.contains("127.0.0.1/32:3000")
      .and.not.contains('"10.0.0.0/8"');
  });
});

describe("webhook URL at registration", () => {
  const mainnet = { network: "mainnet", allowedCidrs: NOTHING_ALLOWED } as const;
  const regtest = { network: "regtest", allowedCidrs: NOTHING_ALLOWED } as const;

  function refusal(text: string, rules: Parameters<typeof parseEndpointUrl>[1] = regtest): string {
    try {
      parseEndpointUrl(text, rules);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      expect(error.code).to.equal("validation-failed");
      expect(error.errors.map(({ pointer }) => pointer)).to.deep.equal(["/url"]);
      return error.message;
    }
    throw new Error(`${text} was accepted`);
  }

  it("accepts https URLs with paths, ports and queries", () => {
    for (const text of [
      "https://shop.example",
      "https://shop.example:8443/hook?shop=1",
      "https://8.8.8.8/hook",
    ]) {
      expect(parseEndpointUrl(text, mainnet).protocol).to.equal("https:");
    }
  });

  it("accepts http on test networks and refuses it on mainnet", () => {
    expect(parseEndpointUrl("http://shop.example/hook", regtest).hostname).to.equal("shop.example");
    expect(refusal("http://shop.example/hook", mainnet)).to.contain("https://");
  });

  for (const text of [
    "https://127.0.0.1/",
    "https://127.1/",
    "https://0x7f.1/",
    "https://0177.0.0.1/",
    "https://2130706433/",
    "https://0x7f000001/",
    "https://127.0.0.1./",
    "https://127。0。0。1/",
    "https://①②⑦.0.0.1/",
    "https://0/",
    "https://[::1]/",
    "https://[::ffff:127.0.0.1]/",
    "https://[::ffff:7f00:1]/",
    "https://[64:ff9b::7f00:1]/",
    "https://169.254.169.254/latest/meta-data/",
    "http://10.0.0.1:8080/",
  ]) {
    it(`refuses ${text} as a special address and names the operator's setting`, () => {
      expect(refusal(text)).to.contain("WEBHOOK_ALLOWED_CIDRS");
    });
  }

  it("accepts a special address that the operator allows, on its port only", () => {
    const rules = {
      network: "regtest",
      allowedCidrs: parseAllowedCidrs(["127.0.0.0/8:3000", "[::1]:3000"]),
    } as const;
    expect(parseEndpointUrl("http://0x7f.1:3000/", rules).hostname).to.equal("127.0.0.1");
    expect(parseEndpointUrl("http://[::1]:3000/", rules).hostname).to.equal("[::1]");
    expect(refusal("http://127.0.0.1:3001/", rules)).to.contain("special address");
  });

  it("refuses credentials without repeating them", () => {
    for (const text of ["https://user:hunter2@shop.example/", "https://hunter2@shop.example/"]) {
      expect(refusal(text)).to.contain("password").and.not.contain("hunter2");
    }
  });

  it("refuses a backslash, after which another host would be shown than is sent to", () => {
    expect(refusal("http://8.8.8.8\\@trusted.example/")).to.contain("a backslash");
  });

  it("refuses fragments, spaces, line breaks, other schemes and what is no URL, each with its own message", () => {
    expect(refusal("https://shop.example/#a")).to.contain("fragment");
    expect(refusal("https://shop.example/#")).to.contain("fragment");
    expect(refusal(" https://shop.example/")).to.contain("a space");
    expect(refusal("https://shop.example/\nx")).to.contain("control character");
    expect(refusal("ftp://shop.example/")).to.contain("https://");
    expect(refusal("javascript:alert(1)")).to.contain("https://");
    expect(refusal("shop.example/hook")).to.match(/not a URL/i);
    expect(refusal("")).to.match(/not a URL/i);
    expect(refusal("https://")).to.match(/not a URL/i);
  });

  it("accepts 2,000 characters and refuses one more", () => {
    const head = "https://shop.example/";
    expect(parseEndpointUrl(head + "a".repeat(2_000 - head.length), mainnet).hostname).to.equal(
      "shop.example",
    );
    expect(refusal(head + "a".repeat(2_001 - head.length))).to.contain("2000");
  });

  it("gives the host without brackets and the port of each scheme", () => {
    expect(endpointHost(new URL("http://[::1]:81/"))).to.equal("::1");
    expect(endpointPort(new URL("http://a/"))).to.equal(80);
    expect(endpointPort(new URL("https://a/"))).to.equal(443);
    expect(endpointPort(new URL("https://a:8443/"))).to.equal(8443);
  });
});
