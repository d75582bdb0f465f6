import { expect, test } from "vitest";
import { GroupService } from "./group-service.js";

function playService(response: Response) {
  const asked: { url: string; init: RequestInit | undefined }[] = [];
  const service = new GroupService({
    baseUrl: "https://meet.example.com/",
    ticket: "t",
    place: "b1",
    fetch: async (url, init) => {
      asked.push({ url: String(url), init });
      return response;
    },
  });
  return { service, asked };
}

test("a request names the ticket and the place", async () => {
  const { service, asked } = playService(Response.json({ seq: 4 }));
  expect(await service.create("id")).toEqual({ seq: 4 });
  expect(asked[0]?.url).toBe("https://meet.example.com/meet/v1/group");
  expect(asked[0]?.init?.method).toBe("POST");
  expect(asked[0]?.init?.headers).toEqual({
    "Content-Type": "application/json",
    Authorization: "Bearer t",
  });
  expect(JSON.parse(String(asked[0]?.init?.body))).toEqual({ place: "b1", group_id: "id" });
});

test("messages are asked for by group and number", async () => {
  const { service, asked } = playService(Response.json({ data: [], has_more: false }));
  await service.messages("a-_b", 12);
  expect(asked[0]?.url).toBe(
    "https://meet.example.com/meet/v1/group/messages?group_id=a-_b&after=12",
  );
});

test("a refusal keeps its code, and what breaks off is a network error", async () => {
  const body = { error: { code: "epoch_taken", message: "Another commit was first." } };
  const refused = playService(Response.json(body, { status: 409 })).service;
  await expect(refused.messages("g", 0)).rejects.toMatchObject({
    status: 409,
    code: "epoch_taken",
  });
  const broken = playService(new Response("not JSON")).service;
  await expect(broken.messages("g", 0)).rejects.toMatchObject({ status: 0, code: "network" });
});
