import {
  createTheme,
  defaultVariantColorsResolver,
  type CSSVariablesResolver,
  type MantineColorsTuple,
  type VariantColorsResolver,
} from "@mantine/core";

const teal: MantineColorsTuple = [
  "#e6f7f5",
  "#d0ebe8",
  "#a3d7d1",
  "#72c1b9",
  "#4aaea4",
  "#2a9d92",
  "#158479",
  "#0b6e65",
  "#0b5c55",
  "#084a45",
];

/** WCAG AA on tinted surfaces: Mantine's own are not for every colour. */
const variantColorResolver: VariantColorsResolver = (input) => {
  const colors = defaultVariantColorsResolver(input);
  const { color = input.theme.primaryColor, theme, variant } = input;
  if (!(color in theme.colors) || (variant !== "light" && variant !== "subtle" && variant !== "outline"))
    return colors;
  const text = `light-dark(color-mix(in srgb, var(--mantine-color-${color}-9) 65%, black), var(--mantine-color-${color}-2))`;
  if (variant !== "light") return { ...colors, color: text };
  const background = `light-dark(var(--mantine-color-${color}-0), color-mix(in srgb, var(--mantine-color-${color}-9) 45%, var(--mantine-color-dark-8)))`;
  return { ...colors, background, color: text };
};

export const theme = createTheme({
  primaryColor: "teal",
  primaryShade: { light: 7, dark: 7 },
  colors: { teal },
  variantColorResolver,
  defaultRadius: "md",
  cursorType: "pointer",
  respectReducedMotion: true,
  fontFamily:
    'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Helvetica Neue", Arial, "Liberation Sans", sans-serif',
  fontFamilyMonospace:
    'ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", "Liberation Mono", monospace',
  headings: { fontWeight: "650", sizes: { h1: { fontSize: "1.6rem" }, h2: { fontSize: "1.15rem" } } },
  components: {
    Anchor: { defaultProps: { underline: "always" } },
    Badge: { defaultProps: { variant: "light", radius: "sm", tt: "none", fw: 600 } },
    InputWrapper: { defaultProps: { withAsterisk: false } }, // most fields are needed: those that are not say so
    Modal: {
      defaultProps: { closeButtonProps: { "aria-label": "Close" }, centered: true },
      styles: { title: { fontWeight: 650 } },
    },
    ModalHeader: { defaultProps: { role: "presentation" } }, // it is no second banner of the page
    Notification: { defaultProps: { closeButtonProps: { "aria-label": "Close" } } },
    PasswordInput: {
      defaultProps: { visibilityToggleButtonProps: { "aria-label": "Show or hide what you typed" } },
    },
    Skeleton: { defaultProps: { radius: "md" } },
    Tooltip: { defaultProps: { withArrow: true, events: { hover: true, focus: true, touch: true } } },
  },
});

export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    "--mantine-color-dimmed": "var(--mantine-color-gray-7)",
    "--mantine-color-placeholder": "var(--mantine-color-gray-6)",
    "--mantine-color-error": "var(--mantine-color-red-9)",
  },
  dark: {
    "--mantine-color-dimmed": "var(--mantine-color-dark-1)",
    "--mantine-color-placeholder": "var(--mantine-color-dark-2)",
    "--mantine-color-error": "var(--mantine-color-red-4)",
  },
});
