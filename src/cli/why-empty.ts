import type { Client } from '../client/index.ts'

/** Why a ref shows nothing, if it is likely mistaken for a subject: their memories are in a ref of their own. */
export async function whyEmpty(client: Client, ref: string): Promise<string | undefined> {
  const isEmpty = async (memoryRef: string) => (await client.memory.list(memoryRef, { limit: 1 })).entries.length === 0
  const ofSubject = `subject:${ref}`
  if (ref.startsWith('subject:') || !(await isEmpty(ref)) || (await isEmpty(ofSubject))) return undefined
  return `The ref ${ref} has no entries. The memories about ${ref} are in the ref ${ofSubject}.`
}
