import type { Connected } from "../../api/connections";

/** In a body: it is in no address, and so in no history. A browser that the policy stops stays here. */
export function sendKey(
  { apiKey, userId, permissions }: Connected,
  redirect: string,
  stopped: () => void,
): void {
  const stop = ({ effectiveDirective }: SecurityPolicyViolationEvent): void => {
    if (effectiveDirective !== "form-action") return;
    document.removeEventListener("securitypolicyviolation", stop);
    stopped();
  };
  document.addEventListener("securitypolicyviolation", stop);
  const form = document.createElement("form");
  form.method = "post";
  form.action = redirect;
  const add = (name: string, value: string): void => {
    const input = document.createElement("input");
    input.type = "hidden";
    input.name = name;
    input.value = value;
    form.append(input);
  };
  add("apiKey", apiKey);
  add("userId", userId);
  for (const permission of permissions) add("permissions[]", permission);
  document.body.append(form);
  form.submit();
  form.remove();
}
