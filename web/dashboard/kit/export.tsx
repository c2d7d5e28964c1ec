import { Button, Group, Loader, Menu, Paper, Text } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { apiUrl, type Query } from "../api/base";
import { ApiError, problemOf } from "../api/problem";
import { groupDigits } from "./format/format-money";
import { Icon } from "./icon";
import { toast } from "./toast";
import { countRows, type ExportFormat } from "./count-rows";

interface Progress {
  lines: number;
  bytes: number;
}

/** Then the browser may put them on the disk. */
const KEPT_BYTES = 8_000_000;
const SHOWN_EVERY_MS = 150;
/** By it Excel knows UTF-8; programs would read it as a part of the first name. */
const BYTE_ORDER_MARK = "\ufeff";

/** With its progress, and a way to stop it. `name`: the file's, without its ending. */
export function useExport(path: string, query: Query, name: string) {
  const [progress, setProgress] = useState<Progress | null>(null);
  const running = useRef<AbortController | null>(null);
  const cancel = (): void => running.current?.abort();
  useEffect(() => () => running.current?.abort(), []);
  const start = async (format: ExportFormat): Promise<void> => {
    const stop = new AbortController();
    running.current = stop;
    setProgress({ lines: 0, bytes: 0 });
    try {
      const url = apiUrl(`${path}/export`, { ...query, format });
      const { file, lines } = await download(url, format, stop.signal, setProgress);
      offer(file, `${name}.${format}`);
      toast.done(`${groupDigits(lines)} lines were exported.`);
    } catch (error) {
      if (!stop.signal.aborted) toast.failed(error instanceof ApiError ? error : brokenOff(error));
    } finally {
      setProgress(null);
    }
  };
  return { progress, start, cancel };
}

/** That is all that a browser sees of a failed export. */
const brokenOff = (cause: unknown): Error => new Error("The export was interrupted. Try again.", { cause });

async function download(
  url: string,
  format: ExportFormat,
  signal: AbortSignal,
  show: (progress: Progress) => void,
): Promise<{ file: Blob; lines: number }> {
  const response = await fetch(url, { credentials: "same-origin", signal });
  if (!response.ok || response.body === null) throw await problemOf(response);
  const count = countRows(format);
  const type = response.headers.get("content-type") ?? "application/octet-stream";
  let file = new Blob(format === "csv" ? [BYTE_ORDER_MARK] : [], { type });
  let kept: BlobPart[] = [];
  let keptBytes = 0;
  let lines = 0;
  let shownAt = 0;
  const reader = response.body.getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    kept.push(read.value);
    keptBytes += read.value.length;
    lines = count(read.value);
    if (keptBytes > KEPT_BYTES) {
      file = new Blob([file, ...kept], { type });
      kept = [];
      keptBytes = 0;
    }
    if (performance.now() - shownAt < SHOWN_EVERY_MS) continue;
    shownAt = performance.now();
    show({ lines, bytes: file.size + keptBytes });
  }
  return { file: new Blob([file, ...kept], { type }), lines };
}

function offer(file: Blob, name: string): void {
  const href = URL.createObjectURL(file);
  const link = document.createElement("a");
  link.href = href;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}

export function ExportMenu({ busy, start }: { busy: boolean; start: (format: ExportFormat) => unknown }) {
  return (
    <Menu position="bottom-end" withinPortal={false} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <Button variant="default" leftSection={<Icon name="download" size={16} />} disabled={busy}>
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => void start("csv")}>CSV, for a spreadsheet</Menu.Item>
        <Menu.Item onClick={() => void start("json")}>JSON, for programs</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

export function ExportProgress({ progress, cancel }: { progress: Progress | null; cancel: () => void }) {
  if (progress === null) return null;
  const size = (progress.bytes / 1_000_000).toFixed(1);
  return (
    <Paper withBorder p="sm">
      <Group justify="space-between" gap="sm">
        <Group gap="sm" role="status">
          <Loader size="sm" aria-hidden="true" />
          <Text size="sm">
            Exporting: {groupDigits(progress.lines)} lines so far, {size} MB
          </Text>
        </Group>
        <Button size="xs" variant="default" onClick={cancel}>
          Cancel
        </Button>
      </Group>
    </Paper>
  );
}
