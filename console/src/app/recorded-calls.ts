import { useSyncExternalStore } from 'react'

/** The reads of the shown view, as HTTP and as calls of the client: what "Copy as" copies. */
export type RecordedCall = {
  readonly http: { readonly method: string; readonly path: string; readonly body?: string }
}
export type ClientCall = { readonly name: string; readonly args: readonly unknown[] }

type Recorded = { readonly requests: readonly RecordedCall['http'][]; readonly calls: readonly ClientCall[] }

let recorded: Recorded = { requests: [], calls: [] }
/** When the server answered last. */
let answeredAt = Date.now()
const listeners = new Set<() => void>()
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useRecorded = (): Recorded => useSyncExternalStore(subscribe, () => recorded)
export const lastAnswerAt = (): number => answeredAt

/** Another view begins: its calls replace those of the view before. */
export function forgetCalls(): void {
  set({ requests: [], calls: [] })
}

function set(next: Recorded): void {
  recorded = next
  for (const listener of listeners) listener()
}

/** The fetch of the client. It notes when the server answers, and the reads of the view. */
export const recordingFetch: typeof fetch = async (input, init) => {
  const answer = await fetch(input, init)
  answeredAt = Date.now()
  const path = String(input)
  const method = init?.method ?? 'GET'
  if (!path.includes('/changes') && (method === 'GET' || /search|retrieve|:preview/.test(path))) {
    const request = { method, path, ...(typeof init?.body === 'string' ? { body: init.body } : {}) }
    const isSame = (one: typeof request) => one.method === method && one.path === path && one.body === request.body
    const requests = recorded.requests.filter((one) => !isSame(one))
    // Later, because a render may have caused this request.
    queueMicrotask(() => set({ ...recorded, requests: [...requests, request].slice(-12) }))
  }
  return answer
}

/** The client, whose reads are noted under their names. */
export function recordCalls<Client extends object>(client: Client, prefix = ''): Client {
  return new Proxy(client, {
    get(target, name, self) {
      const value: unknown = Reflect.get(target, name, self)
      if (typeof name !== 'string') return value
      if (typeof value === 'object' && value !== null) return recordCalls(value, `${prefix}${name}.`)
      if (typeof value !== 'function') return value
      return (...args: unknown[]) => {
        if (/^(list|get|search|searchAll|refs|colophon|history|events|reads|stats|sources)$/.test(name))
          note(`${prefix}${name}`, args)
        return Reflect.apply(value, target, args) as unknown
      }
    },
  })
}

function note(name: string, given: readonly unknown[]): void {
  const isOptions = (value: unknown) => typeof value === 'object' && value !== null && 'signal' in value
  const args = given.filter((value) => !isOptions(value))
  const key = JSON.stringify([name, args])
  const calls = recorded.calls.filter((one) => JSON.stringify([one.name, one.args]) !== key)
  queueMicrotask(() => set({ ...recorded, calls: [...calls, { name, args }].slice(-12) }))
}
