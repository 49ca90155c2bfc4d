import { currentTraceScope, type TraceScope } from './trace-scope.ts'

type Method = (...args: unknown[]) => unknown

/** Wraps a storage adapter so that each call adds its time to the current scope. */
export function timedStore<T extends object>(store: T): T {
  const members = Object.entries(store).map(([name, member]) => {
    if (typeof member === 'function') return [name, timed(store, member as Method)]
    return [name, isPart(member) ? timedStore(member) : member]
  })
  return Object.fromEntries(members) as T
}

/** Whether a member is a nested store: a plain object of methods. */
function isPart(member: unknown): member is object {
  return (
    typeof member === 'object' && member !== null && Object.values(member).every((one) => typeof one === 'function')
  )
}

function timed(store: object, method: Method): Method {
  return (...args) => {
    const scope = currentTraceScope()
    if (scope === undefined) return method.apply(store, args)
    const began = performance.now()
    const result = method.apply(store, args)
    return result instanceof Promise ? noted(result, scope, began) : result
  }
}

async function noted(result: Promise<unknown>, scope: TraceScope, began: number): Promise<unknown> {
  try {
    return await result
  } finally {
    scope.storageMs += performance.now() - began
  }
}
