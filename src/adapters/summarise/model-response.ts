import { findJson } from '../../core/agents/find-json.ts'
import { utf8Bytes } from '../../core/check.ts'
import { findMarkers } from '../../core/redaction/rules/marker.ts'
import type { ChatCompletion } from '../model-api/chat-client.ts'

type ReadSummary =
  | { readonly isUsable: true; readonly text: string }
  /** The reason, without quotes of the response: it is sent back to the model and stored in the job's error. */
  | { readonly isUsable: false; readonly problem: string }

/** Parses and checks a model's summary: format, size, and that every number and marker occurs in the sources. */
export function parseSummary(
  { text, isTruncated }: Pick<ChatCompletion, 'text' | 'isTruncated'>,
  sources: readonly string[],
  bytesMax: number,
): ReadSummary {
  if (text === null) return unusable('It had no text.')
  const value = findJson(text)
  if (value === undefined) return unusable(isTruncated ? 'It was too long and was truncated.' : 'It was not JSON.')
  const summary = (value as { summary?: unknown } | null)?.summary
  if (typeof summary !== 'string') return unusable('It was not an object with the text "summary".')
  const clean = summary.trim()
  if (clean === '') return unusable('The summary was empty.')
  if (!clean.isWellFormed() || clean.includes('\u0000')) return unusable('The summary was not plain text.')
  if (utf8Bytes(clean) > bytesMax) return unusable(`The summary had more than ${bytesMax} bytes.`)
  const all = sources.join('\n')
  const figures = figuresOf(all)
  if (![...figuresOf(clean)].every((figure) => figures.has(figure)))
    return unusable('The summary had a number or a date that no note has.')
  const isMarkerKnown = ({ start, end }: { start: number; end: number }) => all.includes(clean.slice(start, end))
  if (!findMarkers(clean).every(isMarkerKnown)) return unusable('The summary had a marker that no note has.')
  return { isUsable: true, text: clean }
}

function unusable(problem: string): ReadSummary {
  return { isUsable: false, problem }
}

/** The numbers of a text as they are written, without surrounding punctuation. */
function figuresOf(text: string): Set<string> {
  return new Set(text.match(/\p{N}(?:[\p{N}.,:/-]*\p{N})?/gu) ?? [])
}
