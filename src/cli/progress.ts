import { escapeForTerminal } from './output.ts'

const barWidth = 24
/** The minimum time between two updates. */
const pauseMs = 100

/** The progress of a long task, on one line of a terminal. Nothing is written to a pipe or a log. */
export type ProgressBar = {
  at(done: number, total: number): void
  /** For a task of unknown length: what is known so far, and the elapsed time. */
  going(text: string): void
  end(): void
}

export function createProgressBar(what: string, stream: NodeJS.WriteStream = process.stderr): ProgressBar {
  const began = Date.now()
  let last = 0
  let isBegun = false
  function show(text: string, isLast: boolean): void {
    const now = Date.now()
    if (stream.isTTY !== true || (now - last < pauseMs && !isLast)) return
    last = now
    isBegun = true
    // Clears to the end of the line, so that nothing remains of a longer text.
    stream.write(`\r${escapeForTerminal(`${what} ${text}`).slice(0, (stream.columns || 80) - 1)}\u001b[K`)
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
