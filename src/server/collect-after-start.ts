import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** The start is over, and a first request with what it loads is probably answered. */
const afterMs = 2_000

/**
 * Starting leaves more garbage than an hour at rest, and V8 gives memory back only some seconds after a collection, which a server at
 * rest does not cause. So it is caused once: 15 MB of 128.
 */
export function collectAfterStart(): void {
  setTimeout(collectGarbage, afterMs).unref()
}

export function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  // The cache of compiled code is valid only for the options of a start.
  setFlagsFromString('--no-expose-gc')
  // Once, some 30 ms: to collect until nothing more is found gives back 2 MB more and stops the server three times as long.
  collect()
}
