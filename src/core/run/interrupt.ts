import type { RunStatus } from './run.ts'

export const interruptKinds = [
  'approval',
  'clarification',
  'external-event',
  'custom',
  'low-confidence',
  'conversation.start',
  'conversation.exchange',
  'conversation.close',
] as const

export type InterruptKind = (typeof interruptKinds)[number]

/** What a node asks of a person or a system. */
export type InterruptRequest = {
  readonly kind: InterruptKind
  readonly key: string
  readonly data: Readonly<Record<string, unknown>>
  readonly resumeSchema?: Readonly<Record<string, unknown>>
  readonly timeoutMs?: number
}

/** An interrupt of a run, with its resolution once there is one. */
export type Interrupt = {
  readonly interruptId: string
  readonly request: InterruptRequest
  readonly askedAt: number
  readonly deadline: number | null
  /** Keys that have accepted so far: only of an approval that needs several. */
  readonly approvals?: readonly { readonly by: string; readonly at: number }[]
  readonly resolution: { readonly value: unknown; readonly by: string | null } | null
}

const waitingStatus: Readonly<Record<InterruptKind, RunStatus>> = {
  approval: 'waiting-approval',
  clarification: 'waiting-input',
  'external-event': 'waiting-external',
  custom: 'waiting-external',
  'low-confidence': 'waiting-approval',
  'conversation.start': 'waiting-approval',
  'conversation.exchange': 'waiting-approval',
  'conversation.close': 'waiting-approval',
}

/** The status of a run that waits for an interrupt of this kind. */
export function waitingStatusOf(kind: InterruptKind): RunStatus {
  return waitingStatus[kind]
}
