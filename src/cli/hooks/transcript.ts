import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { isInjectedLine } from '../../integrations/claude-agent.ts'
import { type SpokenText, spokenParts } from './hook-input.ts'
import { hookLimits } from './hook-limits.ts'

/** What was said at the end of a transcript, oldest first. Only this part of the file is read, and only these texts leave it. */
export function readTranscript(file: string, bytesMax: number = hookLimits.transcriptBytesMax): SpokenText[] {
  return spokenIn(readEnd(file, bytesMax))
}

function readEnd(file: string, bytesMax: number): string {
  const handle = openSync(file, 'r')
  try {
    const { size } = fstatSync(handle)
    const bytes = Buffer.alloc(Math.min(size, bytesMax))
    const read = readSync(handle, bytes, 0, bytes.length, size - bytes.length)
    const text = bytes.subarray(0, read).toString('utf8')
    // The first line of a part of the file is the end of a line.
    return size > bytes.length ? text.slice(text.indexOf('\n') + 1) : text
  } finally {
    closeSync(handle)
  }
}

/** The lines of Claude Code and of Codex. A line of another kind, or one that is not JSON, says nothing. */
export function spokenIn(lines: string): SpokenText[] {
  return lines.split('\n').flatMap((line) => {
    try {
      const value = JSON.parse(line) as Line
      const spoken = fromClaudeCode(value) ?? fromCodex(value)
      return spoken === null ? [] : spokenParts(spoken)
    } catch {
      return []
    }
  })
}

type Line = {
  readonly type: string
  readonly message?: { readonly content?: unknown }
  readonly isSidechain?: unknown
  readonly payload?: { readonly type?: unknown; readonly message?: unknown }
}

/** Not the results of tools, not what subagents said, and not the messages that the program itself wrote. */
function fromClaudeCode(line: Line): SpokenText | null {
  const { type, message, isSidechain } = line
  if ((type !== 'user' && type !== 'assistant') || isSidechain || isInjectedLine(line)) return null
  const content = message?.content
  const text = typeof content === 'string' ? content : Array.isArray(content) ? textsOf(content) : ''
  return text.trim() === '' ? null : { role: type, text }
}

function textsOf(blocks: readonly { readonly type?: unknown; readonly text?: unknown }[]): string {
  return blocks.flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : [])).join('\n')
}

/** Codex writes what a person and the model said as events; its other items also have texts that the program put in. */
function fromCodex({ type, payload }: Line): SpokenText | null {
  if (type !== 'event_msg' || typeof payload?.message !== 'string' || payload.message.trim() === '') return null
  if (payload.type === 'user_message') return { role: 'user', text: payload.message }
  return payload.type === 'agent_message' ? { role: 'assistant', text: payload.message } : null
}
