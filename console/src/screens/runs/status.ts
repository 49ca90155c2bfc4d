import type { Tone } from '../../ui/badge.tsx'

/** The colour of a run status. */
export function toneOf(status: string): Tone {
  if (status === 'completed') return 'good'
  if (status === 'failed') return 'bad'
  if (status === 'cancelled') return 'neutral'
  return status.startsWith('waiting') || status === 'paused' ? 'warn' : 'accent'
}

export const isEnded = (status: string): boolean => /^(completed|failed|cancelled)$/.test(status)
