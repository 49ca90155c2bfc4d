import type { z } from 'zod'
import { createTimeSlice } from '../../app/event-loop.ts'
import type { ImportPart } from '../../app/portable/import.ts'
import { sha256 } from '../../core/audit/digest.ts'
import { ColophonError } from '../../core/errors.ts'
import type { ExportHeader as Header } from '../../core/portable/export-lines.ts'
import { lineDigest } from '../../core/portable/export-signature.ts'
import type { PortableLine } from '../../core/portable/import-line.ts'
import { ExportHeader, ExportLine, ExportPart, ExportTrailer } from './schemas/export-lines.ts'

/**
 * Parses an export, or a part of one: a header, for a part its `part` line, rows, and a trailer. The digest of the trailer
 * covers every line before it, so a truncated or changed text is refused before any row is parsed. Yields between lines: a part may
 * have ten thousand of them.
 */
export async function parseExportPart(text: string): Promise<ImportPart> {
  const isWhole = text.endsWith('\n')
  const texts = text.slice(0, -1).split('\n')
  const last = texts.at(-1) ?? ''
  const trailer = isWhole ? ExportTrailer.safeParse(parse(last)) : null
  if (!trailer?.success) throw invalid('The file has no trailer: it is truncated, or it is not an export.')
  const before = text.slice(0, text.length - last.length - 1)
  if (trailer.data.lines !== texts.length - 1 || sha256(before) !== trailer.data.sha256) {
    throw invalid('The digest in the trailer does not match: the file was changed.')
  }
  const header = check(ExportHeader, texts[0] ?? '', 0) as Header
  const isPart = (parse(texts[1] ?? '') as { type?: unknown } | undefined)?.type === 'part'
  const whole = { file: trailer.data.sha256, from: 1, signature: trailer.data.signature }
  const { file, from, signature = null } = isPart ? check(ExportPart, texts[1] ?? '', 1) : whole
  const rows = texts.slice(isPart ? 2 : 1, -1)
  const digests: string[] = []
  const lines: PortableLine[] = []
  const yieldToEventLoop = createTimeSlice()
  for (const [index, row] of rows.entries()) {
    await yieldToEventLoop()
    digests.push(lineDigest(row))
    lines.push(check(ExportLine, row, from + index) as PortableLine)
  }
  return { header, file, from, lines, digests: { header: lineDigest(texts[0] ?? ''), lines: digests }, signature }
}

/** The NUL character in JSON, which is always an escape. PostgreSQL cannot store it. */
const nul = /(?<!\\)(?:\\\\)*\\u0000/

/** Names the line and the member, never a value. */
function check<T extends z.ZodType>(shape: T, text: string, line: number): z.output<T> {
  if (nul.test(text)) throw invalid('A line of the file contains the NUL character.', { line })
  const result = shape.safeParse(parse(text))
  if (result.success) return result.data
  const member = result.error.issues[0]?.path.join('.')
  throw invalid('A line of the file does not match the schema of an export.', { line, ...(member ? { member } : {}) })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function invalid(message: string, details: Record<string, string | number> = {}): ColophonError {
  return new ColophonError('import_file_invalid', message, { details })
}
