import { expect } from "chai";
import { checkoutAddress } from "../../web/modal/address";

const ID = "inv_4wBqpZM9k2mAgN8rTzZy7VdQ";

describe("modal.js: the address of a checkout", () => {
  for (const base of ["https://pay.example/", "https://shop.example/pay/"]) {
    const page = `${base}i/${ID}`;
    it(`is the invoice's, by its id or checkoutUrl, at ${base}`, () => {
      expect(checkoutAddress(base, ID)?.href).to.equal(page);
      expect(checkoutAddress(base, page)?.href).to.equal(page);
      for (const known of [ID, page])
        expect(checkoutAddress(base, known.replace("_", ""))?.href).to.equal(page);
      expect(checkoutAddress(base, `${page}?lang=fr`)?.href).to.equal(`${page}?lang=fr`);
      expect(checkoutAddress(base, `${page}?lang=fr`, "de")?.href).to.equal(`${page}?lang=de`);
    });

    for (const other of [
      "",
      "inv_",
      "inv",
      "inv_0OIl",
      `${ID}/../../x`,
      `https://evil.example/i/${ID}`,
      `https://pay.example.evil.example/i/${ID}`,
      `https://pay.example@evil.example/i/${ID}`,
      `http://pay.example/i/${ID}`,
      `//pay.example/i/${ID}`,
      `/i/${ID}`,
      `${base}i/../login/${ID}`,
      `${base}i/${ID}/state`,
      `${base}i/x`,
      `${base}login`,
      "javascript:alert(1)",
      "data:text/html,x",
      "about:blank",
    ])
      it(`is none at ${base}: ${JSON.stringify(other)}`, () =>
        expect(checkoutAddress(base, other)).to.equal(null));
  }
});
