import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Context } from "koa";
import { etagOf, serveFile, type BuiltFile } from "../http/built-files";

/** Eleven exist: the last two take twenty times as long for a tenth. */
const BROTLI_QUALITY = 9;

/** Made and compressed once, at the first request: a slow reader occupies no copy. */
export class SharedFile {
  private made: Promise<BuiltFile> | null = null;

  constructor(
    private readonly type: string,
    private readonly read: () => Buffer,
    private readonly cache = "no-cache",
  ) {}

  async serve(koa: Context): Promise<void> {
    this.made ??= this.make();
    serveFile(koa, await this.made, this.cache);
  }

  private async make(): Promise<BuiltFile> {
    const content = this.read();
    const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY };
    const [br, gz] = await Promise.all([
      promisify(brotliCompress)(content, { params }),
      promisify(gzip)(content, { level: 9 }),
    ]);
    const smaller = (compressed: Buffer): Buffer | null =>
      compressed.length < content.length ? compressed : null;
    return { type: this.type, content, br: smaller(br), gzip: smaller(gz), etag: etagOf(content) };
  }
}
