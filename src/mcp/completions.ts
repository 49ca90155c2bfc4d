import type { Client } from '../client/index.ts'
import { personOfRef } from '../core/people/spelling.ts'

/** How many refs are searched, and how many values the protocol allows in a response. */
const refsSearchedMax = 1_000
const valuesMax = 100
const pageSize = 200

export type Complete = (value: string) => Promise<string[]>

/** Completes memoryRefs by what they contain; those that begin with the text come first. */
export function completeRefs(client: Client): Complete {
  return async (value) => matching(await refsOf(client), value)
}

/** The same for the people that memories are about. */
export function completeSubjects(client: Client): Complete {
  return async (value) => {
    const subjects = (await refsOf(client)).map(personOfRef).filter((subject) => subject !== null)
    return matching(subjects, value)
  }
}

/** A key without the scope completes nothing: a completion has no place for an error. */
async function refsOf(client: Client): Promise<string[]> {
  const names: string[] = []
  try {
    for await (const { memoryRef } of client.memory.eachRef({ limit: pageSize })) {
      names.push(memoryRef)
      if (names.length === refsSearchedMax) break
    }
  } catch {
    return []
  }
  return names
}

function matching(names: readonly string[], value: string): string[] {
  const wanted = value.toLowerCase()
  const found = names.filter((name) => name.toLowerCase().includes(wanted))
  const begins = (name: string) => name.toLowerCase().startsWith(wanted)
  return [...found.filter(begins), ...found.filter((name) => !begins(name))].slice(0, valuesMax)
}
