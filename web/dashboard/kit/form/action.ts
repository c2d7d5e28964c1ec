import { useMutation, useQueryClient } from "@tanstack/react-query";
import { refresh } from "../../api/refresh";
import { ApiError } from "../../api/problem";
import { toast } from "../toast";

interface Action<Input, Output> {
  run: (input: Input) => Promise<Output>;
  done?: string | ((output: Output) => string);
  /** Paths of the API that it changes: reloaded before `then`. */
  changes?: readonly string[];
  then?: (output: Output) => unknown;
  failed?: (error: Error) => void;
  /** The caller shows `error`: no toast. */
  quiet?: true;
  /** A useForm that shows its own fields' errors; others are toasts. */
  form?: { values: object; setErrors: (errors: Record<string, string>) => void };
}

/** `action.mutate(input)`, `action.isPending` for the button's `loading`. */
export function useAction<Input = void, Output = unknown>(action: Action<Input, Output>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: action.run,
    async onSuccess(output) {
      await Promise.all((action.changes ?? []).map((path) => refresh(client, path)));
      if (action.done !== undefined)
        toast.done(typeof action.done === "string" ? action.done : action.done(output));
      await action.then?.(output);
    },
    onError(error) {
      const fields = error instanceof ApiError ? error.fields : {};
      const names = Object.keys(fields);
      const values = action.form?.values ?? {};
      if (names.length > 0 && names.every((name) => name.split(".", 1)[0]! in values))
        action.form?.setErrors({ ...fields });
      else if (action.quiet !== true) toast.failed(error);
      action.failed?.(error);
    },
  });
}
