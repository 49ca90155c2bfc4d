import { styleText } from 'node:util'

/** The output of a command: one JSON document for programs (--json), or text for people. */
export type Output = { show(value: unknown, asText: () => string): void }

export function createOutput(json: boolean): Output {
  return {
    show(value, asText) {
      const text = json ? JSON.stringify(value, null, process.stdout.isTTY ? 2 : 0) : asText()
      process.stdout.write(`${process.stdout.isTTY ? escapeForTerminal(text) : text}\n`)
    },
  }
}

/** A warning on standard error. It is not part of the output, so it is also printed with --json. */
export function warn(message: string): void {
  process.stderr.write(`colophon: warning: ${escapeForTerminal(message)}\n`)
}

/**
 * Escapes text for a terminal: stored text can contain control sequences. Line feeds and the dim style stay. A pipe gets
 * the text as it is.
 */
export function escapeForTerminal(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  return text.replaceAll(/(?!\n|\x1b\[(?:2|22)m)[\p{Cc}\p{Cf}\u2028\u2029]/gu, '·')
}

/** A table whose columns are as wide as their widest cell. Control characters of stored text are replaced. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return dim('no results')
  const cells = rows.map((row) => row.map(printable))
  const widths = head.map((name, column) => Math.max(name.length, ...cells.map((row) => row[column]?.length ?? 0)))
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd()
  return [dim(line(head)), ...cells.map(line)].join('\n')
}

/** One page of a list, and the option for the next page. */
export function pageTable(head: readonly string[], rows: readonly (readonly string[])[], cursor?: string): string {
  return [table(head, rows), ...(cursor === undefined ? [] : [`next page: --cursor ${cursor}`])].join('\n')
}

/** A table with one row per member of an object. */
export function memberTable(value: object): string {
  const rows = Object.entries(value).map(([name, member]) => [
    name,
    typeof member === 'string' ? member : JSON.stringify(member),
  ])
  return table(['member', 'value'], rows)
}

/** The text on one line, without control characters. */
export function printable(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll(/\p{C}/gu, '·')
}

function dim(text: string): string {
  return process.stdout.isTTY ? styleText('dim', text) : text
}
