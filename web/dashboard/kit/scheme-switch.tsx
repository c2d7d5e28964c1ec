import { ActionIcon, Menu, useMantineColorScheme, type MantineColorScheme } from "@mantine/core";
import { Icon, type IconName } from "./icon";

const SCHEMES: readonly [MantineColorScheme, string, IconName][] = [
  ["light", "Light", "sun"],
  ["dark", "Dark", "moon"],
  ["auto", "System", "monitor"],
];

export function SchemeSwitch() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const icon = SCHEMES.find(([scheme]) => scheme === colorScheme)?.[2] ?? "monitor";
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label="Colours">
          <Icon name={icon} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {SCHEMES.map(([scheme, label, name]) => (
          <Menu.Item
            key={scheme}
            leftSection={<Icon name={name} size={16} />}
            rightSection={scheme === colorScheme ? <Icon name="check" size={14} /> : null}
            onClick={() => setColorScheme(scheme)}
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
