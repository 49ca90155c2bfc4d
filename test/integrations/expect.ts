import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'

/**
 * The few words of Vitest that the published suite of LangGraph expects as globals, on the test runner of Node: so it runs with our
 * other suites, and no second runner is installed to run it.
 */
export function provideGlobals(): void {
  Object.assign(globalThis, {
    describe: withEach(describe),
    it: withEach(it),
    expect,
    beforeAll: (work: () => Promise<void>) => before(work),
    afterAll: (work: () => Promise<void>) => after(work),
    beforeEach,
    afterEach,
  })
}

type Runner = (name: string, work: (...args: never[]) => unknown) => unknown

function withEach(runner: typeof describe | typeof it) {
  const each =
    (cases: readonly unknown[]) =>
    (name: string, work: (...args: unknown[]) => unknown): void => {
      for (const [at, one] of cases.entries()) {
        const args = Array.isArray(one) ? one : [one]
        ;(runner as Runner)(`${name} (${at + 1})`, () => work(...args))
      }
    }
  return Object.assign((name: string, work: () => unknown) => (runner as Runner)(name, () => work()), { each })
}

function expect(actual: unknown) {
  return {
    toBe: (expected: unknown) => assert.equal(actual, expected),
    toEqual: (expected: unknown) => equalDefined(actual, expected),
    toBeDefined: () => assert.notEqual(actual, undefined),
    toBeUndefined: () => assert.equal(actual, undefined),
    toBeTruthy: () => assert.ok(actual),
    rejects: { toThrow: () => assert.rejects(actual as Promise<unknown>) },
    not: {
      toBeUndefined: () => assert.notEqual(actual, undefined),
      toBeDefined: () => assert.equal(actual, undefined),
      toEqual: (expected: unknown) => assert.notDeepEqual(defined(actual), defined(expected)),
    },
  }
}
expect.soft = expect
expect.arrayContaining = (items: readonly unknown[]) => new Containing(items)

class Containing {
  readonly items: readonly unknown[]
  constructor(items: readonly unknown[]) {
    this.items = items
  }
}

function equalDefined(actual: unknown, expected: unknown): void {
  if (!(expected instanceof Containing)) {
    assert.deepEqual(defined(actual), defined(expected))
    return
  }
  for (const item of expected.items)
    assert.ok(
      (actual as unknown[]).some((one) => isSame(one, item)),
      `no ${JSON.stringify(item)}`,
    )
}

function isSame(one: unknown, other: unknown): boolean {
  try {
    assert.deepEqual(defined(one), defined(other))
    return true
  } catch {
    return false
  }
}

/** A member that is undefined equals a missing one. */
function defined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(defined)
  if (value === null || typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => (member === undefined ? [] : [[name, defined(member)]])),
  )
}
