import { z } from 'zod';

/** The description of an answer that is a text and not JSON. */
export function textAnswer(
  description: string,
  type: string,
): { description: string; content: Record<string, { schema: z.ZodString }> } {
  return { description, content: { [type]: { schema: z.string() } } };
}

/** Sends a text as it is. */
// biome-ignore lint/suspicious/noExplicitAny: the types of replies know answers in JSON only
export function sendText(reply: any, type: string, content: string): any {
  return reply.type(type).serializer(String).send(content);
}
