/** How far long work is, on one line of a terminal; a pipe or a log gets nothing of it. */
export function createProgress(what: string): { at(done: number, total: number): void; end(): void } {
  const isShown = process.stderr.isTTY === true
  let last = 0
  return {
    at(done, total) {
      const now = Date.now()
      if (!isShown || (now - last < 100 && done < total)) return
      last = now
      const share = total === 0 ? 100 : Math.floor((done / total) * 100)
      process.stderr.write(`\r${what} ${share}% (${done} of ${total})`)
    },
    end() {
      if (isShown && last > 0) process.stderr.write('\n')
    },
  }
}
