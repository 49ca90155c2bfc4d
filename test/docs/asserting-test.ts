/** What can be read off the source of a test, without running it. The formatter sees to the shape that this relies on. */
export type FoundTest = {
  /** Skipped for good, or only a plan. */
  readonly isSkipped: boolean
  /** Assertions about something that was computed: a constant compared with a constant shows nothing. */
  readonly assertions: number
}

const registers = 'test|it|onEveryStore|onStores'
const assertionCall = /\b(?:assert(?:\.\w+|[A-Z]\w*)?|rejects\w*|refuse\w*|check[A-Z]\w*|expect[A-Z]\w*)\(/g

/** The test of this title; null when the file has none. `read` gives the source of a file that this one imports. */
export function findTest(source: string, title: string, read: (specifier: string) => string | null): FoundTest | null {
  const escaped = title.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const start = new RegExp(`^( *)(?:${registers})(\\.skip|\\.todo)?\\(\\s*(['"\`])${escaped}\\3`, 'm').exec(source)
  if (start === null) return null
  const [, indent = '', modifier = ''] = start
  const body = blockFrom(source, start.index, indent)
  const isSkipped = modifier !== '' || /\b(?:skip|todo): true\b/.test(body.slice(0, body.indexOf('=>')))
  const own = assertionsIn(body) + assertionsOfHelpers(body, new Map(helpersIn(source)))
  if (own > 0) return { isSkipped, assertions: own }
  const imported = [...source.matchAll(/^(?:import|export) [^']* from '(\.[^']+)'$/gm)].map(([, path = '']) =>
    read(path),
  )
  const helpers = new Map([source, ...imported].flatMap((text) => (text === null ? [] : helpersIn(text))))
  return { isSkipped, assertions: assertionsOfHelpers(body, helpers) }
}

/** The lines up to the one that closes the block: it has the indent of the first. */
function blockFrom(source: string, start: number, indent: string): string {
  // A line that closes the parameters and opens the body has a brace at its end.
  const end = new RegExp(`^${indent}\\}(?!.*\\{$)[^\\n]*$`, 'm').exec(source.slice(start))
  return end === null ? source.slice(start) : source.slice(start, start + end.index + end[0].length)
}

function assertionsIn(body: string): number {
  const declared = namesDeclaredIn(body)
  return [...body.matchAll(assertionCall)].filter(({ index, 0: call }) => {
    const given = argumentsFrom(body, index + call.length)
    if (/\bawait\b|\w\(/.test(given)) return true
    return (given.match(/(?<![.\w'"`])[A-Za-z_]\w*/g) ?? []).some((name) => declared.has(name))
  }).length
}

type Helpers = ReadonlyMap<string, string>

function helpersIn(source: string): (readonly [name: string, body: string])[] {
  const declaration =
    /^( *)(?:export )?(?:async )?(?:function\*? (\w+)|const (\w+) = (?:async )?(?:\(|\w+ =>)|(?!(?:if|for|while|switch|catch|test|it|describe|onEveryStore|onStores)\b)(\w+)\(.*\{$)/gm
  return [...source.matchAll(declaration)].map(
    ({ index, 1: indent = '', 2: asFunction, 3: asConstant, 4: asMethod }) => [
      asFunction ?? asConstant ?? asMethod ?? '',
      blockFrom(source, index, indent),
    ],
  )
}

/** What the functions assert that the test calls or hands on, and those that these call. */
function assertionsOfHelpers(body: string, helpers: Helpers, seen = new Set<string>()): number {
  let count = 0
  for (const [name, block] of helpers) {
    if (seen.has(name) || !new RegExp(`\\b${name}\\b`).test(body)) continue
    seen.add(name)
    count += assertionsIn(block) + assertionsOfHelpers(block, helpers, seen)
  }
  return count
}

/** Names that the test itself gives a value that is computed: by a call, by waiting, by a loop or as a parameter. */
function namesDeclaredIn(body: string): ReadonlySet<string> {
  const words = (text: string) => text.match(/[A-Za-z_]\w*/g) ?? []
  const computed = [...body.matchAll(/\b(?:const|let) (\{[^=]*\}|\[[^=]*\]|\w+)[^=\n]*= ([^\n]*)/g)]
    .filter(([, , value = '']) => /\bawait\b|\w\(|\bnew \w|[{[(]$/.test(value))
    .flatMap(([, names = '']) => words(names))
  const looped = [...body.matchAll(/\bfor (?:await )?\((?:const|let) (.*?) of /g)].flatMap(([, names = '']) =>
    words(names),
  )
  const later = [...body.matchAll(/\blet (\w+)(?:: [^=\n]+)?$/gm)].map(([, name = '']) => name)
  const parameters = [...body.matchAll(/\(([^()]*)\)(?:: [^=\n]+)? =>/g)].flatMap(([, names = '']) => words(names))
  return new Set([...computed, ...looped, ...later, ...parameters])
}

/** What stands between the parentheses, up to the one that closes them. */
function argumentsFrom(text: string, start: number): string {
  let depth = 1
  for (let at = start; at < text.length; at++) {
    if (text[at] === '(') depth += 1
    if (text[at] === ')') depth -= 1
    if (depth === 0) return text.slice(start, at)
  }
  return text.slice(start)
}
