import { styleText } from 'node:util'

/** What a command prints: one JSON document for machines, or a table for people. */
export type Output = { show(value: unknown, asText: () => string): void }

export function createOutput(json: boolean): Output {
  return {
    show(value, asText) {
      const text = json ? JSON.stringify(value, null, process.stdout.isTTY ? 2 : 0) : asText()
      process.stdout.write(`${process.stdout.isTTY ? harmless(text) : text}\n`)
    },
  }
}

/** Something that works, and that the user should know. Never part of the answer, so also with --json. */
export function warn(message: string): void {
  process.stderr.write(`colophon: warning: ${harmless(message)}\n`)
}

/**
 * For a terminal: stored text may hold sequences that move the cursor or change colours. Lines and our own dimming stay.
 * A pipe gets the bytes as they are.
 */
export function harmless(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  return text.replaceAll(/(?!\n|\x1b\[(?:2|22)m)[\p{Cc}\p{Cf}\u2028\u2029]/gu, '·')
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

/** One page of a list, and how to get the next. */
export function pageTable(head: readonly string[], rows: readonly (readonly string[])[], cursor?: string): string {
  return [table(head, rows), ...(cursor === undefined ? [] : [`more: --cursor ${cursor}`])].join('\n')
}

/** Every member of an object on a line. */
export function memberTable(value: object): string {
  const rows = Object.entries(value).map(([name, member]) => [
    name,
    typeof member === 'string' ? member : JSON.stringify(member),
  ])
  return table(['member', 'value'], rows)
}

export function printable(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll(/\p{C}/gu, '·')
}

function dim(text: string): string {
  return process.stdout.isTTY ? styleText('dim', text) : text
}
