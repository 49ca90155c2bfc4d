import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

export type Tone = 'neutral' | 'good' | 'warn' | 'bad' | 'accent'

const tones: Readonly<Record<Tone, string>> = {
  neutral: 'border-line text-muted',
  good: 'border-good text-good',
  warn: 'border-warn text-warn',
  bad: 'border-bad text-bad',
  accent: 'border-accent text-accent',
}

export function Badge({ tone = 'neutral', children }: { readonly tone?: Tone; readonly children: ReactNode }) {
  return (
    <span
      className={classNames(
        'inline-flex items-center rounded-full border px-2 text-xs leading-5 whitespace-nowrap',
        tones[tone],
      )}
    >
      {children}
    </span>
  )
}
