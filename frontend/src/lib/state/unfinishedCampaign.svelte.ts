/** The campaign that was begun in the wizard and is not made yet: its name, null if there is none. */
class UnfinishedCampaign {
  name = $state<string | null>(null);
}

export const unfinishedCampaign = new UnfinishedCampaign();
