import { Transform } from 'node:stream'
import { ColophonError } from '../core/errors.ts'
import type { App } from './route-context.ts'

const windowMs = 60 * 60_000
const keysMax = 100_000

export type ByteBudget = {
  /** Counts bytes against the hour of a key. If they exceed what is left, nothing is counted and the time to wait is returned. */
  take(key: string, bytes: number): number
  /** Counts bytes that were received already. */
  add(key: string, bytes: number): void
}

/** A limit on the bytes that a key may send per hour, counted by this process. */
export function createByteBudget(bytesMax: number, now: () => number): ByteBudget {
  const windows = new Map<string, { start: number; bytes: number }>()
  const windowOf = (key: string) => {
    const at = now()
    const known = windows.get(key)
    if (known !== undefined && at - known.start < windowMs) return known
    if (windows.size >= keysMax) windows.clear()
    const fresh = { start: at, bytes: 0 }
    windows.set(key, fresh)
    return fresh
  }
  return {
    take(key, bytes) {
      const window = windowOf(key)
      if (window.bytes >= bytesMax || (window.bytes > 0 && window.bytes + bytes > bytesMax))
        return window.start + windowMs - now()
      window.bytes += bytes
      return 0
    },
    add: (key, bytes) => {
      windowOf(key).bytes += bytes
    },
  }
}

/**
 * Refuses request bodies beyond the bytes that a key may send per hour. A body can guess at a secret, and the redacted response shows
 * whether the guess was right. That is so for calls that store nothing too, so all bodies count. Runs after authentication.
 */
export function limitBytes(app: App, bytesMax: number, now: () => number): void {
  if (bytesMax === 0) return
  const budget = createByteBudget(bytesMax, now)
  app.addHook('preParsing', (request, reply, payload, done) => {
    const key = request.principal?.keyId
    if (key === undefined) return done(null, payload)
    const length = request.headers['content-length']
    const waitMs = budget.take(key, length === undefined ? 0 : Number(length))
    if (waitMs > 0) {
      reply.header('retry-after', String(Math.ceil(waitMs / 1_000)))
      const message = 'This key has sent as many bytes as allowed per hour.'
      const details = { retryAfterMs: waitMs, scope: 'key', limit: 'keyBytesPerHour', max: bytesMax }
      return done(new ColophonError('rate_limited', message, { details }))
    }
    if (length !== undefined || request.headers['transfer-encoding'] === undefined) return done(null, payload)
    // A body without a length is counted while it is read.
    const counted = Object.assign(
      new Transform({
        transform(chunk: Buffer, _encoding, onDone) {
          counted.receivedEncodedLength += chunk.length
          budget.add(key, chunk.length)
          onDone(null, chunk)
        },
      }),
      { receivedEncodedLength: 0 },
    )
    done(null, payload.pipe(counted))
  })
}
