/** RFC 9457. */
interface ProblemBody {
  code: string;
  title: string;
  detail?: string;
  status: number;
  requestId?: string;
  errors?: { pointer: string; message: string }[];
}

export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly requestId: string | null;
  /** By path, as forms name it: `branding.color`. */
  readonly fields: Readonly<Record<string, string>>;

  constructor(body: ProblemBody) {
    super(body.detail ?? body.title);
    this.status = body.status;
    this.code = body.code;
    this.requestId = body.requestId ?? null;
    this.fields = Object.fromEntries(
      (body.errors ?? []).map(({ pointer, message }) => [
        pointer.replace(/^\//, "").replaceAll("/", "."),
        message,
      ]),
    );
  }
}

export async function problemOf(response: Response): Promise<ApiError> {
  const { status, statusText: title } = response;
  const text = await response.text();
  try {
    return new ApiError({ code: "unknown", title, status, ...(JSON.parse(text) as Partial<ProblemBody>) });
  } catch {
    // A proxy may answer with a page.
    return new ApiError({
      code: "unknown",
      title: `The server answered ${status}. Try again in a moment.`,
      status,
    });
  }
}

export const noConnection = (): ApiError =>
  new ApiError({
    code: "no-connection",
    title: "The server cannot be reached. Check the connection.",
    status: 0,
  });

export function messageOf(error: unknown): string {
  if (error instanceof ApiError) {
    const fields = Object.values(error.fields);
    return fields.length > 0 ? fields.join(" ") : error.message;
  }
  return error instanceof Error ? error.message : "Something went wrong.";
}
