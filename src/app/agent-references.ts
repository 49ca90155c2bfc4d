import { type AgentManifest, agentLimits, packError } from '../core/agents/agent.ts'
import type { RunAgentText } from '../core/agents/run-agent.ts'
import { defaultTrust, isBelow } from '../core/entries/trust.ts'
import { ColophonError, isColophonError } from '../core/errors.ts'
import { checkConfigurableSchema } from '../core/workflow/configurable.ts'
import type { JsonObject } from '../core/workflow/json-values.ts'
import { defaultWorkspace } from '../core/workspace/workspace-file.ts'
import type { Tenant } from './tenant.ts'
import { type FilePin, findCurrent, getFile } from './workspace/files.ts'

/**
 * The files that a manifest references: its prompt and the schemas of its handoff. A manifest that is installed here has no package
 * around it, so a reference is the path of a workspace file. It is resolved when the agent is installed, and pinned to the version that
 * the file had then.
 */
const references = ['systemPromptRef', 'taskSchemaRef', 'returnSchemaRef'] as const

type Reference = (typeof references)[number]

/** The version of each referenced file. */
export type PinnedVersions = Partial<Record<Reference, FilePin>>

const fieldOf = (name: Reference) => (name === 'systemPromptRef' ? name : `handoff.${name}`)

function pathOfReference({ systemPromptRef, handoff = {} }: AgentManifest, name: Reference): string | undefined {
  const path = name === 'systemPromptRef' ? systemPromptRef : handoff[name]
  return path?.replace(/^(workspace:|\.\/)/, '')
}

/** Resolves the references of a manifest. One that names no file, or a file that cannot be used, refuses the installation. */
export async function pinReferences(tenant: Tenant, manifest: AgentManifest): Promise<PinnedVersions> {
  const pinned: PinnedVersions = {}
  for (const name of references) {
    const path = pathOfReference(manifest, name)
    if (path === undefined) continue
    const file = await getFile(tenant, defaultWorkspace, path).catch((error: unknown) => {
      if (!isColophonError(error, 'not_found')) throw error
      throw packError(`${fieldOf(name)} must be the path of a workspace file: put the file first.`, fieldOf(name))
    })
    const current = await findCurrent(tenant, defaultWorkspace, path)
    // What it says becomes the prompt of the agent, or the shape of its answers.
    if (current !== null && isBelow(current.trust, defaultTrust))
      throw packError(`The file of ${fieldOf(name)} is untrusted: read it, and put it again.`, fieldOf(name))
    checkUsable(name, file.content)
    pinned[name] = { version: file.version, etag: file.etag }
  }
  return pinned
}

function checkUsable(name: Reference, content: string): void {
  if (name !== 'systemPromptRef') return void parseSchema(name, content)
  if (content.trim() === '' || content.length > agentLimits.systemPromptCharactersMax) {
    const max = agentLimits.systemPromptCharactersMax
    throw packError(`The file of ${name} must have 1 to ${max} characters.`, name)
  }
}

function parseSchema(name: Reference, content: string): JsonObject {
  try {
    const schema: unknown = JSON.parse(content)
    checkConfigurableSchema(schema)
    return schema as JsonObject
  } catch (error) {
    // The message of the parser quotes the file.
    const problem = isColophonError(error) ? error.message.replaceAll('configurableSchema', 'the schema') : 'no JSON'
    throw packError(
      `The file of ${fieldOf(name)} must be a JSON Schema that this host can check: ${problem}`,
      fieldOf(name),
    )
  }
}

/** The texts behind the references, as they were at the installation. */
export async function resolveReferences(
  tenant: Tenant,
  manifest: AgentManifest,
  pinned: PinnedVersions,
): Promise<Pick<RunAgentText, 'systemPrompt' | 'taskSchema' | 'returnSchema'>> {
  const [prompt, task, result] = await Promise.all(references.map((name) => readPinned(tenant, manifest, name, pinned)))
  return {
    systemPrompt: prompt ?? manifest.systemPrompt ?? '',
    ...(task === null || task === undefined ? {} : { taskSchema: parseSchema('taskSchemaRef', task) }),
    ...(result === null || result === undefined ? {} : { returnSchema: parseSchema('returnSchemaRef', result) }),
  }
}

async function readPinned(
  tenant: Tenant,
  manifest: AgentManifest,
  name: Reference,
  pinned: PinnedVersions,
): Promise<string | null> {
  const path = pathOfReference(manifest, name)
  if (path === undefined) return null
  try {
    // A manifest from before references were pinned reads the newest version.
    return (await getFile(tenant, defaultWorkspace, path, pinned[name])).content
  } catch (error) {
    if (!isColophonError(error, 'not_found')) throw error
    throw new ColophonError(
      'agent_reference_unavailable',
      `The version of the file that ${fieldOf(name)} had when the agent was installed is gone.`,
      { details: { field: fieldOf(name) } },
    )
  }
}
