import { ColophonError } from '../core/errors.ts'
import type { App } from './route-context.ts'

type KnownPath = {
  readonly methods: Set<string>
  readonly segments: readonly Segment[]
}

/** A segment of a path: a fixed text, or a parameter with a fixed text behind it, as in `:ref` and `:runId:fork`. */
type Segment = { readonly param: string | null; readonly text: string }

/** The error of a request without a route: the methods of its path, or why the path has no route. */
export class KnownPaths {
  readonly #paths = new Map<string, KnownPath>()

  /** Notes every route that is added after this call. */
  watch(app: App): void {
    app.addHook('onRoute', ({ url, method, config }) => {
      // Pages and their files are no part of an API.
      if (config?.access === undefined || url.includes('*')) return
      const path = this.#paths.get(url) ?? toKnownPath(url)
      this.#paths.set(url, path)
      for (const one of [method].flat()) path.methods.add(one)
    })
  }

  /** The methods of a path; empty if there is no such path. */
  methodsOf(path: string): string[] {
    const segments = toSegments(path)
    return [...this.#paths.values()].flatMap((known) => (fits(known.segments, segments) ? [...known.methods] : []))
  }

  /** The error of a request without a route. */
  refuse(method: string, url: string): ColophonError {
    const [path = ''] = url.split('?')
    const methods = [...new Set(this.methodsOf(path))].sort()
    if (methods.length > 0) {
      const allowed = methods.join(', ')
      return new ColophonError('method_not_allowed', `${method} is no method of this path. It has ${allowed}.`, {
        details: { allowed: methods },
      })
    }
    const param = this.#unencodedParam(path, method)
    if (param === null) return new ColophonError('not_found', 'There is nothing at this path.')
    return new ColophonError(
      'not_found',
      `There is nothing at this path. If ${param} has a slash, write it as %2F: it is one segment of the path.`,
      { details: { field: param } },
    )
  }

  /** The parameter whose value has slashes that the client did not encode: the one that makes the path fit when it takes several segments. */
  #unencodedParam(path: string, method: string): string | null {
    const given = toSegments(path)
    for (const { segments, methods } of this.#paths.values()) {
      const extra = given.length - segments.length
      if (extra <= 0 || !methods.has(method)) continue
      const at = segments.findIndex(({ param }, index) => {
        const value = given.slice(index, index + extra + 1).join('%2F')
        return param !== null && fits(segments, [...given.slice(0, index), value, ...given.slice(index + extra + 1)])
      })
      if (at >= 0) return segments[at]?.param ?? null
    }
    return null
  }
}

function fits(segments: readonly Segment[], given: readonly string[]): boolean {
  if (segments.length !== given.length) return false
  return segments.every(({ param, text }, index) => {
    const value = given[index] ?? ''
    return param === null ? value === text : value.length > text.length && value.endsWith(text)
  })
}

function toSegments(path: string): string[] {
  return path.replace(/\/$/, '').split('/')
}

function toKnownPath(url: string): KnownPath {
  const segments = toSegments(url).map((segment): Segment => {
    const [, param = null, rest = segment] = /^:([A-Za-z]\w*)(.*)$/.exec(segment) ?? []
    // Fastify writes a colon of the path itself as two.
    return { param, text: rest.replaceAll('::', ':') }
  })
  return { methods: new Set(), segments }
}
