import { type RedactionContext, redactJson } from '../redaction/redact-json.ts'
import type { Interrupt } from './interrupt.ts'
import type { RunText } from './run.ts'

/**
 * Redacts the text of a run. Member names of the host and node ids stay, also when one equals a secret. All values from clients, nodes
 * and memory are redacted, including their member names.
 */
export function redactRunText(text: RunText, redaction: RedactionContext): RunText {
  const all = <T>(value: T): T => redactJson(value, redaction) as T
  const rewrite = (part: string) => redaction.scan(part, redaction.onHit)
  const each = <T>(byName: Readonly<Record<string, T>>, change: (value: T) => T): Readonly<Record<string, T>> =>
    Object.fromEntries(Object.entries(byName).map(([name, value]) => [name, change(value)]))
  return {
    inputs: all(text.inputs),
    variables: all(text.variables),
    outputs: each(text.outputs, all),
    configurable: all(text.configurable),
    tags: all(text.tags),
    metadata: all(text.metadata),
    interrupts: each(text.interrupts, (interrupt) => redactInterrupt(interrupt, all)),
    ephemeral: each(text.ephemeral, (entries) =>
      entries.map((entry) => ({ ...entry, content: rewrite(entry.content), tags: all(entry.tags) })),
    ),
    ...(text.agents === undefined ? {} : { agents: each(text.agents, all) }),
    ...(text.answers === undefined ? {} : { answers: each(text.answers, all) }),
    pauseReason: text.pauseReason === null ? null : rewrite(text.pauseReason),
    error: text.error && { ...text.error, message: rewrite(text.error.message) },
    ...(text.decision === undefined ? {} : { decision: all(text.decision) }),
    ...(text.channels === undefined ? {} : { channels: each(text.channels, all) }),
  }
}

function redactInterrupt(interrupt: Interrupt, all: <T>(value: T) => T): Interrupt {
  const { request, resolution } = interrupt
  const data = Object.fromEntries(Object.entries(request.data).map(([name, value]) => [name, all(value)]))
  return {
    ...interrupt,
    request: { ...request, key: all(request.key), data },
    resolution: resolution && { ...resolution, value: all(resolution.value) },
  }
}
