import { previewRules } from '../../../app/provenance/claims.ts'
import { route } from '../../../http/route.ts'
import { readRules } from '../../provenance/views/writer.ts'
import { PreviewResult, RulesPreview } from '../schemas/claims.ts'

/** What other authority rules of a writer would decide. */
export const writerPreviewRoutes = [
  route('previewWriter', 'POST /v1/host/colophon/writers/{id}:preview', 'memory:admin', {
    summary: 'Preview authority rules',
    description: 'The claims of the writer that would have another winner with other rules. Nothing is stored.',
    tag: 'writers',
    isRead: true,
    body: RulesPreview,
    answers: { 200: PreviewResult },
    handler: async ({ tenant, params, body: { authority_rules: rules } }) =>
      previewRules(tenant, params.id, rules && readRules(rules)),
  }),
]
