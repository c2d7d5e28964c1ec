import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Context } from "koa";
import { serveFile, type BuiltFile } from "../http/built-files";

/** Eleven exist: the last two take twenty times as long for a tenth. */
const BROTLI_QUALITY = 9;

/** Made and compressed once, at the first request: a slow reader occupies no copy. */
export class SharedFile {
  private made: Promise<BuiltFile & { etag: string }> | null = null;

  /** `kept`: its address changes with its content. */
  constructor(
    private readonly type: string,
    private readonly read: () => Buffer,
    private readonly kept = false,
  ) {}

  async serve(koa: Context): Promise<void> {
    this.made ??= this.make();
    const { etag, ...file } = await this.made;
    serveFile(koa, this.kept ? "assets/" : "", file);
    if (this.kept) return;
    // Weak, since its encodings are one content.
    koa.set("ETag", `W/"${etag}"`);
    koa.status = 200;
    if (koa.fresh) koa.status = 304;
  }

  private async make(): Promise<BuiltFile & { etag: string }> {
    const content = this.read();
    const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY };
    const [br, gz] = await Promise.all([
      promisify(brotliCompress)(content, { params }),
      promisify(gzip)(content, { level: 9 }),
    ]);
    const smaller = (compressed: Buffer): Buffer | null =>
      compressed.length < content.length ? compressed : null;
    const etag = createHash("sha256").update(content).digest("base64url");
    return { type: this.type, content, br: smaller(br), gzip: smaller(gz), etag };
  }
}
