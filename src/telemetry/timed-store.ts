import { currentScope, type Scope } from './scope.ts'

type Method = (...args: unknown[]) => unknown

/** The same store, which adds what each call takes to the scope it is made in. Outside of one it adds nothing. */
export function timedStore<T extends object>(store: T): T {
  const members = Object.entries(store).map(([name, member]) => {
    if (typeof member === 'function') return [name, timed(store, member as Method)]
    return [name, isPart(member) ? timedStore(member) : member]
  })
  return Object.fromEntries(members) as T
}

/** The stores inside a store are plain objects of methods. */
function isPart(member: unknown): member is object {
  return (
    typeof member === 'object' && member !== null && Object.values(member).every((one) => typeof one === 'function')
  )
}

function timed(store: object, method: Method): Method {
  return (...args) => {
    const scope = currentScope()
    if (scope === undefined) return method.apply(store, args)
    const began = performance.now()
    const answer = method.apply(store, args)
    return answer instanceof Promise ? noted(answer, scope, began) : answer
  }
}

async function noted(answer: Promise<unknown>, scope: Scope, began: number): Promise<unknown> {
  try {
    return await answer
  } finally {
    scope.storageMs += performance.now() - began
  }
}
