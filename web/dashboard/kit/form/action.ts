import { useMutation, useQueryClient } from "@tanstack/react-query";
import { refresh } from "../../api/refresh";
import { ApiError } from "../../api/problem";
import { toast } from "../toast";
import { fieldsOf } from "./fields-of";

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
      const values = action.form?.values ?? {};
      const shown: Record<string, string> = {};
      let all = error instanceof ApiError && Object.keys(error.fields).length > 0;
      for (const [path, message] of error instanceof ApiError ? Object.entries(error.fields) : []) {
        const fields = fieldsOf(values, path);
        if (fields.length === 0) all = false;
        for (const field of fields) shown[field] = message;
      }
      if (all) action.form?.setErrors(shown);
      else if (action.quiet !== true) toast.failed(error);
      action.failed?.(error);
    },
  });
}
