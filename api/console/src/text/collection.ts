import { catalogue } from "./catalogue.ts";

// What lists of objects that people make, change and delete say (parts/collection/).
export const text = catalogue({
  filter: "Filter",
  make: "New",
  create: "Create",
  edit: "Edit",
  save: "Save",
  remove: "Delete",
  change: "Change",
  deleteMany: (count: number) => `Delete ${count}`,
  changeMany: (count: number) => `Change ${count}`,
  leaveEmpty: "What is left empty stays as it is.",
});
