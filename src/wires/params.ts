import { z } from 'zod'

/** Parameters of paths of routes that are not in a table yet. */
export const NoQuery = z.strictObject({})
export const IdParams = z.strictObject({ id: z.string() })
export const AgentParams = z.strictObject({ agentId: z.string() })
export const RunParams = z.strictObject({ runId: z.string() })
export const NodeParams = z.strictObject({ runId: z.string(), nodeId: z.string() })
export const ArtifactParams = z.strictObject({ runId: z.string(), artifactId: z.string() })
export const TokenParams = z.strictObject({ token: z.string() })
export const WorkflowParams = z.strictObject({ workflowId: z.string() })
export const WebhookParams = z.strictObject({ webhookId: z.string() })
