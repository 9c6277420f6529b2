import { call } from "../../api/calls.ts";

export const subnetOf = (id: string) => call("get", "/api/v1/subnets/{id}", { params: { path: { id } } });
export const mapOf = (id: string) => call("get", "/api/v1/subnets/{id}/map", { params: { path: { id } } });
