import { correction, generate, type Bitmap2D } from "lean-qr";
import { html, type Html } from "../../http/html";

const QUIET_ZONE = 4;

/** Dark on white, as scanners expect it. */
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
    <path d="${runsOf(code)}" transform="translate(0 .5)" stroke="#000" />
  </svg>`;
}

/** A stroke per run: a quarter of the outlines' bytes. */
function runsOf(code: Bitmap2D): string {
  let path = "";
  for (let y = 0; y < code.size; y += 1) {
    let end: number | null = null;
    for (let x = 0; x < code.size; x += 1) {
      if (!code.get(x, y)) continue;
      const start = x;
      while (code.get(x, y)) x += 1;
      path += end === null ? `M${start} ${y}` : `m${start - end} 0`;
      path += `h${x - start}`;
      end = x;
    }
  }
  return path;
}
