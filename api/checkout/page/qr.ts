import { correction, generate } from "lean-qr";
import { toSvgPath } from "lean-qr/extras/svg";
import { html, type Html } from "./html";

const QUIET_ZONE = 4;

/** Dark on white in both colour schemes, as scanners expect it. */
export function qrCode(text: string, label: string): Html {
  const code = generate(text, { minCorrectionLevel: correction.M });
  const side = code.size + 2 * QUIET_ZONE;
  return html`<svg
    class="qr"
    role="img"
    aria-label="${label}"
    viewBox="${-QUIET_ZONE} ${-QUIET_ZONE} ${side} ${side}"
    shape-rendering="crispEdges"
  >
    <rect x="${-QUIET_ZONE}" y="${-QUIET_ZONE}" width="${side}" height="${side}" fill="#fff" />
    <path d="${toSvgPath(code)}" fill="#000" />
  </svg>`;
}
