import { harmless } from './output.ts'

const barWidth = 24
/** More often than this nobody can read it. */
const pauseMs = 100

/** How far long work is, on one line of a terminal; a pipe or a log gets nothing of it. */
export type Progress = {
  at(done: number, total: number): void
  /** Work whose end nobody can foresee: what is known of it, and that it goes on. */
  going(text: string): void
  end(): void
}

export function createProgress(what: string, stream: NodeJS.WriteStream = process.stderr): Progress {
  const began = Date.now()
  let last = 0
  let isBegun = false
  function show(text: string, isLast: boolean): void {
    const now = Date.now()
    if (stream.isTTY !== true || (now - last < pauseMs && !isLast)) return
    last = now
    isBegun = true
    // To the end of the line, so that nothing is left of a longer text before.
    stream.write(`\r${harmless(`${what} ${text}`).slice(0, (stream.columns || 80) - 1)}\u001b[K`)
  }
  return {
    at(done, total) {
      show(`${bar(done, total)} (${done} of ${total})`, done >= total)
    },
    going(text) {
      const seconds = Math.floor((Date.now() - began) / 1_000)
      show([`${seconds} s`, ...(text === '' ? [] : [text])].join(', '), false)
    },
    end() {
      if (isBegun) stream.write('\n')
      isBegun = false
    },
  }
}

export function bar(done: number, total: number): string {
  const share = total === 0 ? 1 : Math.min(1, done / total)
  const full = Math.floor(share * barWidth)
  return `${'█'.repeat(full)}${'░'.repeat(barWidth - full)} ${String(Math.floor(share * 100)).padStart(3)}%`
}
