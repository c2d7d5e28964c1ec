import { expect } from "chai";
import { clientAddress, networkOf, parseTrustedProxies, senderOf } from "../../domain/client-address";

describe("a client's address", () => {
  const trusted = parseTrustedProxies(["10.0.0.0/8", "::1", "2001:db8:ffff::/48"]);
  const told: [string, string, string, string][] = [
    [
      "is the peer's, whatever it forwards, when that is no trusted proxy",
      "192.0.2.1",
      "1.2.3.4",
      "192.0.2.1",
    ],
    ["is the peer's when a trusted proxy forwards nothing", "10.0.0.1", "", "10.0.0.1"],
    ["is the one that the trusted proxy saw", "10.0.0.1", "1.2.3.4", "1.2.3.4"],
    [
      "is the right-most that is not trusted: what stands left of it may be made up",
      "10.0.0.1",
      "9.9.9.9, 1.2.3.4",
      "1.2.3.4",
    ],
    ["is found through a chain of trusted proxies", "10.0.0.1", "1.2.3.4,10.0.0.3, 10.0.0.2", "1.2.3.4"],
    ["is the outermost proxy's when all are trusted", "10.0.0.1", "10.0.0.3, 10.0.0.2", "10.0.0.3"],
    [
      "is the last one that can be believed when the text goes wrong",
      "10.0.0.1",
      "1.2.3.4, unknown",
      "10.0.0.1",
    ],
    ["is read without a port", "10.0.0.1", "1.2.3.4:4711", "1.2.3.4"],
    ["is read as IPv4 where the socket says it in IPv6", "::ffff:10.0.0.1", "::ffff:1.2.3.4", "1.2.3.4"],
    ["is one subscriber's /64 for IPv6", "::1", "[2001:db8:1:2:3:4:5:6]:443", "2001:db8:1:2::/64"],
    ["is IPv6's behind a proxy of IPv6", "2001:db8:ffff::5", "2001:db8:1:2::9", "2001:db8:1:2::/64"],
    ["is unknown where the connection is gone already", "", "", "unknown"],
  ];
  for (const [what, remote, forwarded, sender] of told)
    it(what, () => expect(senderOf(clientAddress(remote, forwarded, trusted))).to.equal(sender));

  it("is the connection's own by default, without trusted proxies", () => {
    expect(senderOf(clientAddress("127.0.0.1", "1.2.3.4", []))).to.equal("127.0.0.1");
  });

  it("cannot be configured with invalid addresses: each is named", () => {
    expect(() => parseTrustedProxies(["10.0.0.1", "proxy", "10.0.0.0/33", "1/2/3", "10.0.0.0/"])).to.throw(
      RangeError,
      /"proxy", "10\.0\.0\.0\/33", "1\/2\/3", "10\.0\.0\.0\/"/,
    );
  });

  it("has a /48 in IPv6 only, also when IPv4 is written in it", () => {
    const network = (remote: string) => networkOf(clientAddress(remote, "", []));
    expect(network("2001:db8:1:2::3")).to.equal("2001:db8:1::/48");
    for (const remote of ["192.0.2.1", "::ffff:192.0.2.1", "nobody"]) expect(network(remote)).to.equal(null);
  });
});
