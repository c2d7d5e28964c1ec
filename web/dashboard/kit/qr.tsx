import { correction, generate } from "lean-qr";
import { toSvgPath } from "lean-qr/extras/svg";

const QUIET_ZONE = 4;

/** Dark on white in both schemes, as scanners want it. */
export function Qr({ text, label, size = 200 }: { text: string; label: string; size?: number }) {
  const code = generate(text, { minCorrectionLevel: correction.M });
  const side = code.size + 2 * QUIET_ZONE;
  return (
    <svg
      role="img"
      aria-label={label}
      width={size}
      height={size}
      viewBox={`${-QUIET_ZONE} ${-QUIET_ZONE} ${side} ${side}`}
      shapeRendering="crispEdges"
      className="qr"
    >
      <path d={toSvgPath(code)} fill="#000" />
    </svg>
  );
}
