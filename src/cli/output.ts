import { styleText } from 'node:util'

/** What a command prints: one JSON document for machines, or a table for people. */
export type Output = { show(value: unknown, asText: () => string): void }

export function createOutput(json: boolean): Output {
  return {
    show(value, asText) {
      process.stdout.write(`${json ? JSON.stringify(value, null, process.stdout.isTTY ? 2 : 0) : asText()}\n`)
    },
  }
}

/** Columns as wide as their widest cell; control characters of stored text must not reach the terminal. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return dim('nothing there')
  const cells = rows.map((row) => row.map(printable))
  const widths = head.map((name, column) => Math.max(name.length, ...cells.map((row) => row[column]?.length ?? 0)))
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd()
  return [dim(line(head)), ...cells.map(line)].join('\n')
}

export function printable(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll(/\p{C}/gu, '·')
}

function dim(text: string): string {
  return process.stdout.isTTY ? styleText('dim', text) : text
}
