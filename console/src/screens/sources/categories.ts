/** What memories are about; a writer's word may count differently in each. */
export const categories = ['preference', 'fact', 'goal', 'procedure', 'relationship', 'expertise'] as const
